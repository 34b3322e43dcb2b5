/// What one way of reading a store cost, beside its floor.
struct StoreCost {
    let name: String
    /// The number of operations that the costs are divided by.
    let operations: Int
    /// The costs of each turn: of the work, and of the floor right after it.
    var turns: [(work: Cost, floor: Cost)] = []
    /// Whether both found the same.
    var isRight = true

    /// The cells of a line: medians of the turns.
    var cells: [String] {
        [
            name, Figures.grouped(operations), Figures.text(each(turns.map(\.work.cpu))), Figures.text(each(turns.map(\.floor.cpu))),
            Figures.ratio(Median.of(turns.map { $0.work.cpu / max($0.floor.cpu, 1e-9) })), Figures.text(each(turns.map(\.work.wall))),
            isRight ? "yes" : "NO",
        ]
    }

    /// The cells that say by how much work and floor are dearer than on a smaller store.
    func growth(since smaller: StoreCost) -> [String] {
        func ratio(_ cost: (StoreCost) -> Double?) -> String {
            guard let now = cost(self), let before = cost(smaller), before > 0 else { return "–" }
            return Figures.ratio(now / before)
        }
        return [ratio { $0.each($0.turns.map(\.work.cpu)) }, ratio { $0.each($0.turns.map(\.floor.cpu)) }]
    }

    /// Microseconds for one operation.
    private func each(_ seconds: [Double]) -> Double? { Median.of(seconds).map { $0 / Double(operations) * 1e6 } }
}
