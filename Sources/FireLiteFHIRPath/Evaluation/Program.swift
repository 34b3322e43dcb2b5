import FireLiteCore
import Foundation

/// A compiled expression with the evaluators that are free.
final class Program: @unchecked Sendable {
    let text: String
    let options: FHIRPathOptions
    let syntax: Syntax
    private let root: Node
    private let members: Int
    // `lock` guards `free`.
    private let lock = NSLock()
    @exclusivity(unchecked) private var free: [Evaluator] = []

    /// More threads than cores do not evaluate one expression at once.
    private static let maximumFree = 16

    init(_ text: String, _ options: FHIRPathOptions) throws {
        self.text = text
        self.options = options
        do {
            syntax = try Parser.parse(text)
            var compiler = Compiler()
            root = try compiler.compile(syntax)
            members = compiler.members
        } catch let error as FHIRPathError {
            throw error.located(in: text)
        }
    }

    /// Calls `body` with the expression, the input and an evaluator for it.
    @inline(__always)
    func run<Result>(_ input: [Item], _ context: FHIRPathContext?, _ body: (Node, [Item], Evaluator) throws -> Result) throws -> Result {
        lock.lock()
        let known = free.popLast()
        lock.unlock()
        let evaluator = known ?? Evaluator(options: options, members: members)
        defer {
            evaluator.end()
            lock.lock()
            if free.count < Self.maximumFree { free.append(evaluator) }
            lock.unlock()
        }
        evaluator.begin(on: input, context)
        do {
            if options.checksModel { try evaluator.check(syntax) }
            return try body(root, input, evaluator)
        } catch let error as FHIRPathError {
            throw error.located(in: text)
        }
    }
}
