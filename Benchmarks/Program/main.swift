import Foundation

do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    if options.wantsHelp {
        print(Options.help)
        exit(0)
    }
    if !options.stores.isEmpty {
        exit(try StoreRun.run(options.stores, repetitions: options.repetitions ?? 5, changes: options.changesStores).rawValue)
    }
    exit(try BenchmarkRun(options: options).run().rawValue)
} catch {
    FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
    exit(2)
}
