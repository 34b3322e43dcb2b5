import Foundation

/// The expressions that were compiled lately.
enum ProgramCache {
    /// The compiled expression of a text.
    static func program(_ text: String, _ options: FHIRPathOptions) throws -> Program {
        try cache.program(Key(text: text, options: options))
    }

    /// The maximum number of expressions kept.
    static let limit = 500

    /// By bytes: texts that Swift takes for equal may have literals that differ.
    private struct Key: Hashable {
        let text: String
        let options: FHIRPathOptions

        static func == (left: Key, right: Key) -> Bool { left.text.isSameText(right.text) && left.options == right.options }

        func hash(into hasher: inout Hasher) {
            hasher.combine(text)
            hasher.combine(options)
        }
    }

    private static let cache = Cache()

    private final class Cache: @unchecked Sendable {
        // `lock` guards `recent` and `older`.
        private let lock = NSLock()
        private var recent: [Key: Program] = [:]
        /// What was used before `recent` was begun. Half of the limit each, so that what is used often stays.
        private var older: [Key: Program] = [:]

        func program(_ key: Key) throws -> Program {
            lock.lock()
            let known = recent[key]
            let old = known == nil ? older[key] : nil
            lock.unlock()
            if let known { return known }
            let program = try old ?? Program(key.text, key.options)
            lock.lock()
            defer { lock.unlock() }
            if recent.count >= ProgramCache.limit / 2 {
                older = recent
                recent = [:]
            }
            recent[key] = program
            return program
        }
    }
}
