import Foundation

do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    if options.wantsHelp {
        print(Options.help)
        exit(0)
    }
    if let path = options.store { exit(try StoreRun(path, repetitions: options.repetitions ?? 5).run().rawValue) }
    exit(try BenchmarkRun(options: options).run().rawValue)
} catch {
    FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
    exit(2)
}
