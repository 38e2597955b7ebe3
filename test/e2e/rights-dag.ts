/** One of each that rights are needed for: a definition and a part, a Vault, a Ceph, databases. */
export const rightsDag = `apiVersion: tiphys.dev/v1
kind: Platform
name: rights
root: rights-root
stacks:
  base:
    application: rights-base
    apps:
      operator: { type: operator, parts: { crds: { kinds: [CustomResourceDefinition] } } }
      vault: { type: vault }
      web: { needs: [operator#crds] }
  data:
    apps:
      ceph: { type: ceph }
      kafka: { type: database, needs: [ceph] }
      kv: { type: database, needs: [ceph] }
      pg: { type: database, needs: [ceph], stateful: true }
`;
