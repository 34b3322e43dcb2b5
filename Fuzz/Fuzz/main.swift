import Foundation

// `Fuzz TARGET [libFuzzer's options] [corpus folders or files]`
let targets: [String: @Sendable (UnsafeBufferPointer<UInt8>) throws -> Void] = [
    "json": JSONTarget.check, "xml": XMLTarget.check,
    "lines": LinesTarget.check, "document": DocumentTarget.check,
    "predicate": PredicateTarget.check,
    "digest": DigestTarget.check, "template": TemplateTarget.check, "store": StoreTarget.check,
    "file": FileTarget.check, "token": TokenTarget.check,
]

guard CommandLine.arguments.count > 1, let chosen = targets[CommandLine.arguments[1]] else {
    print("usage: Fuzz \(targets.keys.sorted().joined(separator: "|")) [options of libFuzzer] [corpus]")
    exit(2)
}

Fuzzer.target = chosen
exit(Fuzzer.run(arguments: [CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)))
