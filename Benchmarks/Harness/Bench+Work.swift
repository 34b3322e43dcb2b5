extension Bench {
    /// Measures a query for each of some arguments, beside a statement for each of them.
    ///
    /// - Parameters:
    ///   - query: returns how many results there are for an argument.
    ///   - floor: does the same with the C API.
    ///   - verify: gets the counts of both.
    func measureEach(
        _ name: String, _ arguments: [String], query: (String) throws -> Int, floor: @escaping (String) -> Int,
        verify: ([Int], [Int]) throws -> Bool
    ) throws -> Measurement {
        var counts: [Int] = []
        var floorCounts: [Int] = []
        return try measure(
            name, operations: arguments.count,
            subject: { stopwatch in
                counts = []
                try stopwatch.measure { for argument in arguments { counts.append(try query(argument)) } }
            },
            floor: { stopwatch in
                floorCounts = []
                stopwatch.measure { for argument in arguments { floorCounts.append(floor(argument)) } }
            },
            verify: { try verify(counts, floorCounts) })
    }

    /// Measures work that changes a file, each time on a fresh copy of it.
    ///
    /// - Parameters:
    ///   - original: the path of the file, which stays as it is.
    ///   - subject: gets the path of its copy.
    ///   - floor: gets the path of its own copy, and that of the copy that the subject has changed.
    ///   - verify: gets the path of the subject's copy and that of the floor's, when both are changed.
    func measureOnCopies(
        of original: String, _ name: String, operations: Int, subject: (String, Stopwatch) throws -> Void,
        floor: (_ path: String, _ changed: String, Stopwatch) throws -> Void, verify: (String, String) throws -> Bool
    ) throws -> Measurement {
        var path = ""
        var floorPath = ""
        defer { for path in [path, floorPath] { scratch.delete(path) } }
        return try withoutActuallyEscaping(floor) { floor in
            try measure(
                name, operations: operations,
                subject: { stopwatch in
                    scratch.delete(path)
                    path = try scratch.copy(of: original)
                    try subject(path, stopwatch)
                },
                floor: { stopwatch in
                    self.scratch.delete(floorPath)
                    floorPath = try self.scratch.copy(of: original)
                    try floor(floorPath, path, stopwatch)
                },
                verify: { try verify(path, floorPath) })
        }
    }
}
