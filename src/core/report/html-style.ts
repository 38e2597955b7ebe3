/** Colours are chosen for a contrast of at least 4.5 : 1 with what they stand on, in both schemes. */
export const pageStyle = `
:root{color-scheme:light dark;--paper:#f6f7f9;--sheet:#fff;--ink:#1b2430;--soft:#556274;--line:#d9dfe7;--link:#1f5fbf;
--good:#1e7a46;--good-bg:#e2f4e9;--bad:#b3261e;--bad-bg:#fdeae8;--warn:#8a5a00;--warn-bg:#fdf3dc;--idle:#5b6778;--idle-bg:#eceff3;--busy:#1f5fbf;--busy-bg:#e4eefc;
--edge:#a3aebd;--path:#28323f;--sync:#4a86d8;--gate:#3aa17a;--start:#9db7de;--retry:#d79a2b;--delete:#9a6fc4;--wait:#cfd6df}
@media (prefers-color-scheme:dark){:root{--paper:#12161c;--sheet:#1a2028;--ink:#e6ebf2;--soft:#a3afbf;--line:#303a47;--link:#8ab8ff;
--good:#6fd39b;--good-bg:#173526;--bad:#ff8f86;--bad-bg:#421d1b;--warn:#f0c060;--warn-bg:#3a2d10;--idle:#a3afbf;--idle-bg:#272f3a;--busy:#8ab8ff;--busy-bg:#1a2d4a;
--edge:#566377;--path:#dfe6ef;--sync:#5b96e6;--gate:#46b48b;--start:#54709b;--retry:#d9a441;--delete:#ab85d3;--wait:#3a4554}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
header,main,footer{max-width:1480px;margin:0 auto;padding:0 clamp(12px,2.5vw,32px)}
header{padding-top:28px}
h1{font-size:28px;line-height:1.2;margin:0}h1 small,h2 small,h3 small{font-weight:400;color:var(--soft);font-size:.72em}
h2{font-size:18px;margin:0 0 10px}h3{font-size:15px;margin:0}
p{margin:.35em 0}a{color:var(--link)}code{font:13px ui-monospace,"DejaVu Sans Mono",monospace;background:var(--idle-bg);padding:1px 5px;border-radius:4px;overflow-wrap:anywhere}
.badge{display:inline-block;padding:4px 12px;border-radius:999px;font-weight:600}
.good .badge{color:var(--good);background:var(--good-bg)}.bad .badge{color:var(--bad);background:var(--bad-bg)}.calm .badge{color:var(--busy);background:var(--busy-bg)}
.tiles{display:flex;flex-wrap:wrap;gap:10px 28px;margin:16px 0}.tiles div{min-width:70px}.tiles dt{color:var(--soft);font-size:13px}.tiles dd{margin:0;font-size:20px;font-weight:600;font-variant-numeric:tabular-nums}
.chips{display:flex;flex-wrap:wrap;gap:6px;list-style:none;margin:0 0 8px;padding:0}.chips li{padding:2px 10px;border-radius:999px;font-size:13px;background:var(--idle-bg);color:var(--idle)}
.chips .health-Healthy,.chips .health-Removed{background:var(--good-bg);color:var(--good)}.chips .health-Failed{background:var(--bad-bg);color:var(--bad)}.chips .health-Degraded,.chips .health-Unknown,.chips .health-Retained{background:var(--warn-bg);color:var(--warn)}.chips .health-Progressing{background:var(--busy-bg);color:var(--busy)}
section{background:var(--sheet);border:1px solid var(--line);border-radius:12px;padding:18px clamp(12px,1.6vw,22px);margin:16px 0}
ul.failures{list-style:none;margin:0;padding:0;display:grid;gap:12px}.failure,.finding{border-left:4px solid var(--bad);background:var(--bad-bg);padding:10px 14px;border-radius:0 8px 8px 0;overflow-wrap:anywhere}.finding.warning{border-color:var(--warn);background:var(--warn-bg)}.finding.info{border-color:var(--idle);background:var(--idle-bg)}
.hint::before{content:"→ "}.hint{color:var(--ink)}ul.plain{margin:0;padding-left:20px;overflow-wrap:anywhere}
.note{color:var(--soft);font-size:13px}button{font:inherit;color:var(--link);background:none;border:1px solid var(--line);border-radius:6px;padding:1px 10px;cursor:pointer}button[aria-pressed=true]{background:var(--busy-bg)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
summary{cursor:pointer;color:var(--soft);font-size:13px}
.dot{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px;background:var(--idle);border:1px solid transparent}
.dot.state-healthy,.dot.state-removed{background:var(--good)}.dot.state-failed,.dot.state-orphaned{background:var(--bad)}.dot.state-pending{background:var(--busy)}.dot.state-retained{background:var(--warn)}.dot.state-blocked{background:none;border:1.5px dashed var(--warn)}
.graph{overflow:auto;max-height:86vh}.graph svg{display:block;width:100%;height:auto;min-width:calc(var(--w)*.78);max-width:calc(var(--w)*1.25)}.graph.full svg{width:var(--w);min-width:0}
.node text{text-anchor:middle;font-size:12.5px;fill:var(--ink)}.node text.part{font-size:10.5px}.node rect{fill:var(--idle-bg);stroke:var(--idle);stroke-width:1.2}a.node{text-decoration:none;cursor:pointer}
.node.state-healthy rect,.node.state-removed rect{fill:var(--good-bg);stroke:var(--good)}.node.state-failed rect,.node.state-orphaned rect{fill:var(--bad);stroke:var(--bad)}.node.state-failed text,.node.state-orphaned text{fill:var(--sheet);font-weight:700}
.node.state-blocked rect{fill:var(--warn-bg);stroke:var(--warn);stroke-dasharray:4 3}.node.state-pending rect{fill:var(--busy-bg);stroke:var(--busy)}.node.state-retained rect{fill:var(--warn-bg);stroke:var(--warn)}
.node.critical rect{stroke-width:2.8}.node.critical text{font-weight:700}.node:hover rect,.node.chosen rect{stroke-width:3.4;stroke:var(--link)}
.edge{fill:none;stroke:var(--edge);stroke-width:1.2}.edge.soft{stroke-dasharray:5 4}.edge.once{stroke-dasharray:1.5 3.5}.edge.critical{stroke:var(--path);stroke-width:2.6}
.choosing .node,.choosing .edge{opacity:.22}.choosing .near,.choosing .chosen{opacity:1}.choosing .edge.near{stroke:var(--link);stroke-width:2.2}
.legend .key{display:inline-block;width:18px;height:9px;border-radius:3px;margin:0 5px 0 10px}.legend .key.wait{height:2px;vertical-align:middle;margin-left:0;background:var(--soft)}.legend b{margin-left:12px;color:var(--ink);font-weight:600}
.timeline{position:relative;font-size:13px;overflow:hidden}.row,.axis{display:grid;grid-template-columns:minmax(110px,250px) 1fr 74px;gap:12px;align-items:center}.row{min-height:22px;color:var(--ink);text-decoration:none;border-radius:4px}.row:hover,.row.chosen{background:var(--busy-bg)}.row[hidden]{display:none}
.row .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.row.critical .name{font-weight:700}.row.state-failed .name,.row.state-orphaned .name{color:var(--bad);font-weight:700}.row .took{text-align:right;color:var(--soft);font-variant-numeric:tabular-nums}
.track{position:relative;height:12px}.track i{position:absolute;top:1px;height:10px;min-width:2px;border-radius:2px}.track i.wait{left:0;top:5px;height:1.5px;min-width:0;background:var(--wait)}.row.critical .track i:not(.wait){top:-1px;height:14px;box-shadow:0 0 0 1.5px var(--path)}
.row.state-failed .track i.stage-gate,.row.state-failed .track i.stage-syncing{background:var(--bad)}
.stage-starting{background:var(--start)}.stage-syncing{background:var(--sync)}.stage-gate{background:var(--gate)}.stage-retrying{background:var(--retry)}.stage-deleting{background:var(--delete)}
.axis{height:20px;color:var(--soft);font-size:12px}.axis .ticks{grid-column:2;position:relative;height:100%}.axis .ticks span{position:absolute;transform:translateX(-50%);white-space:nowrap}.axis .ticks span::before{content:"";position:absolute;left:50%;top:20px;height:calc(var(--rows)*22px);border-left:1px solid var(--line)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}th,td{text-align:left;vertical-align:top;padding:6px 14px 6px 0;border-bottom:1px solid var(--line)}thead th{color:var(--soft);font-weight:500;font-size:13px}tbody th{font-weight:600;overflow-wrap:anywhere}
.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.state{white-space:nowrap}.more{min-width:180px;overflow-wrap:anywhere}.more p{margin:0 0 2px}tr:target,tr.chosen{background:var(--busy-bg)}tr[hidden]{display:none}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:6px 0;font-size:13px}.facts dt{color:var(--soft)}.facts dd{margin:0;overflow-wrap:anywhere}
input{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:3px 8px}
#card{position:fixed;right:16px;bottom:16px;width:min(420px,calc(100vw - 32px));max-height:min(70vh,560px);overflow:auto;background:var(--sheet);border:1px solid var(--line);border-radius:12px;box-shadow:0 8px 32px rgb(0 0 0/.25);padding:14px 16px}#card[hidden]{display:none}#close{float:right;font-size:18px;line-height:1.3}
footer{color:var(--soft);font-size:13px;padding-bottom:28px}
@media (max-width:640px){.row,.axis{grid-template-columns:112px 1fr 58px;gap:8px}th,td{padding-right:10px}.tiles{gap:8px 20px}}
@media print{body{background:#fff;print-color-adjust:exact;-webkit-print-color-adjust:exact}#card,button,#filter-line{display:none!important}section{break-inside:auto;border:0;padding:0}.row,tr,.failure{break-inside:avoid}.graph{overflow:visible;max-height:none}.graph svg{min-width:0}}
`;
