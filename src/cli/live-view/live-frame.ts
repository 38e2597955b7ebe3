export interface LiveFrame {
  readonly width: number;
  readonly rows: number;
  /** The run's own time, ISO 8601. */
  readonly now: string;
  readonly color: boolean;
  /** Which redraw this is; it turns the spinner, whatever the speed of the run's time. */
  readonly turn?: number;
}
