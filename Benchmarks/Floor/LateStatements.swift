/// Statements that are compiled when they are first run, as a store compiles its own: it counts on both sides, or on neither.
final class LateStatements {
    private let database: RawDatabase
    private var texts: [String] = []
    private var numbers: [String: Int] = [:]
    // Exclusive access is not checked, as it is met for each row: nothing here is called back into.
    @exclusivity(unchecked) private var compiled: ContiguousArray<OpaquePointer?> = []

    init(_ database: RawDatabase) { self.database = database }

    var count: Int { texts.count }

    /// The number by which a statement is known, one for each text.
    func number(of sql: String) -> Int {
        if let known = numbers[sql] { return known }
        numbers[sql] = texts.count
        texts.append(sql)
        compiled.append(nil)
        return texts.count - 1
    }

    @inline(__always)
    subscript(number: Int) -> OpaquePointer { compiled[number] ?? compile(number) }

    @inline(never)
    private func compile(_ number: Int) -> OpaquePointer {
        do {
            let statement = try database.prepare(texts[number])
            compiled[number] = statement
            return statement
        } catch { preconditionFailure("\(error): the floors are made for another format of the file") }
    }
}
