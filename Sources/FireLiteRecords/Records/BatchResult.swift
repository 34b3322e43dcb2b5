/// The result of an operation on many records: some may fail while the others are stored.
public struct BatchResult<Item> {
    /// A record that failed.
    public struct Failure: Sendable {
        /// Its position among the arguments, from 0.
        public let index: Int
        /// Its id; nil if it has none.
        public let id: String?
        /// What went wrong.
        public let error: any Error
    }

    /// The successes, in the order of the arguments.
    public internal(set) var succeeded: [Item] = []
    /// The failures, in the order of the arguments.
    public internal(set) var failed: [Failure] = []

    /// Whether everything succeeded.
    public var isComplete: Bool { failed.isEmpty }
}

extension BatchResult: Sendable where Item: Sendable {}

extension BatchResult {
    /// Runs `body` for each argument and records its result, or its error if that concerns only the argument.
    ///
    /// - Throws: an error that concerns all of them, such as a full disk.
    static func collecting<Argument>(
        _ arguments: [Argument], id: (Argument) -> String?, _ body: (Argument) throws -> Item
    ) throws -> BatchResult {
        var result = BatchResult()
        try result.collect(arguments[...], id: id, body)
        return result
    }

    /// Does the same for some of the arguments.
    mutating func collect<Argument>(
        _ arguments: ArraySlice<Argument>, id: (Argument) -> String?, _ body: (Argument) throws -> Item
    ) throws {
        for index in arguments.indices {
            do {
                succeeded.append(try body(arguments[index]))
            } catch let error where Self.concernsOne(error) {
                failed.append(Failure(index: index, id: id(arguments[index]), error: error))
            }
        }
    }

    /// Whether an error says something about one record only.
    static func concernsOne(_ error: any Error) -> Bool {
        switch error {
        case is RecordError, is AttachmentError, is FHIRDecodingError: true
        case let error as FHIRStoreError: [.tooLarge, .invalidArgument, .conflict, .duplicateID].contains(error.code)
        default: false
        }
    }
}
