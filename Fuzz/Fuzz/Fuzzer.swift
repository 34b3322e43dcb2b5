import Foundation

/// libFuzzer's entry for programs that have a `main` of their own (<https://llvm.org/docs/LibFuzzer.html>).
@_silgen_name("LLVMFuzzerRunDriver")
private func LLVMFuzzerRunDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Calls the chosen target with libFuzzer's inputs.
enum Fuzzer {
    /// Set before the only thread begins to run inputs.
    nonisolated(unsafe) static var target: (UnsafeBufferPointer<UInt8>) throws -> Void = { _ in }

    static func run(arguments: [String]) -> Int32 {
        var count = Int32(arguments.count)
        let strings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { strings[index] = strdup(argument) }
        strings[arguments.count] = nil
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = strings
        return LLVMFuzzerRunDriver(&count, &list) { bytes, count in
            Fuzzer.one(UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
    }

    private static func one(_ bytes: UnsafeBufferPointer<UInt8>) {
        do {
            try target(bytes)
        } catch {
            fatalError("an error that no input may cause: \(error)")
        }
    }
}

/// Ends the run where a property does not hold; libFuzzer keeps the input.
func require(_ isTrue: Bool, _ message: @autoclosure () -> String) {
    if !isTrue { fatalError("property broken: \(message())") }
}
