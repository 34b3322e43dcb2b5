import Foundation

/// The pieces of a body in order. The source is asked for a piece only after the previous one was used.
public struct HTTPBody: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = Data
    /// The errors of the sequence.
    public typealias Failure = any Error
    private let piece: @Sendable () async throws -> Data?

    /// A body whose pieces a closure returns, one per call, and then nil.
    ///
    /// - Parameter piece: throws `HTTPTransportError` if the rest cannot be read.
    public init(_ piece: @escaping @Sendable () async throws -> Data?) { self.piece = piece }

    /// A body in memory.
    public init(_ data: Data) {
        let rest = Once(data)
        piece = { rest.take() }
    }

    /// Reads pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let piece: @Sendable () async throws -> Data?

        /// The next piece; nil at the end.
        ///
        /// - Throws: `HTTPTransportError`; `CancellationError`.
        public mutating func next() async throws -> Data? { try await piece() }

        /// Does what `next()` does, for a caller on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? { try await piece() }
    }

    /// Creates an iterator for one loop.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(piece: piece) }

    /// The whole body.
    ///
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: `HTTPTransportError.tooLarge`; errors of reading.
    public func collected(upTo limit: Int = .max) async throws -> Data {
        var data = Data()
        for try await piece in self {
            guard data.count + piece.count <= limit else {
                throw HTTPTransportError(.tooLarge, "the server's answer is longer than \(limit) bytes")
            }
            data.append(piece)
        }
        return data
    }
}
