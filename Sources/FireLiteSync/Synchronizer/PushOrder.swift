/// Puts changes in an order in which what others depend on comes first; those that depend on each other stay together.
///
/// The strongly connected components of the dependencies, by Tarjan's algorithm without recursion, as chains may be long.
struct PushOrder {
    private let targets: [[Int]]
    private var index: [Int]
    private var low: [Int]
    private var isOnStack: [Bool]
    private var stack: [Int] = []
    private var next = 0
    private(set) var components: [[Int]] = []

    /// - Parameter targets: for each change, the changes that it depends on.
    init(_ targets: [[Int]]) {
        self.targets = targets
        index = Array(repeating: -1, count: targets.count)
        low = index
        isOnStack = Array(repeating: false, count: targets.count)
        for node in targets.indices where index[node] < 0 { visit(node) }
    }

    private mutating func enter(_ node: Int) {
        index[node] = next
        low[node] = next
        next += 1
        stack.append(node)
        isOnStack[node] = true
    }

    private mutating func visit(_ root: Int) {
        var path: [(node: Int, edge: Int)] = [(root, 0)]
        enter(root)
        while let (node, edge) = path.last {
            if edge < targets[node].count {
                path[path.count - 1].edge += 1
                let target = targets[node][edge]
                if index[target] < 0 {
                    enter(target)
                    path.append((target, 0))
                } else if isOnStack[target] {
                    low[node] = min(low[node], index[target])
                }
                continue
            }
            path.removeLast()
            if let parent = path.last?.node { low[parent] = min(low[parent], low[node]) }
            guard low[node] == index[node] else { continue }
            var component: [Int] = []
            while let member = stack.popLast() {
                isOnStack[member] = false
                component.append(member)
                if member == node { break }
            }
            components.append(component.sorted())
        }
    }
}
