import FireLite
import Foundation

do {
    let options = try PeerOptions(Array(CommandLine.arguments.dropFirst()))
    if options.wantsHelp {
        print(PeerOptions.help)
        exit(0)
    }
    let progress = ProgressLine()
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let corpus =
        try options.data.map { try Corpus.folder($0).repeated(until: options.size).sample(options.size) }
        ?? Corpus.synthetic(.patients, options.size)
    let benchmark = try PeerBenchmark([FireLitePeer.self, JSONPeer.self, IndexedJSONPeer.self], corpus, scratch, progress)
    try benchmark.run()
    let coding = try CodingBenchmark(coders: JSONCoder.all, corpus: corpus, progress: progress).run()
    progress.clear()
    let report = PeerReport(benchmark.results + coding, title: corpus.title)
    print(report.text)
    if let folder = options.report { try report.write(to: folder) }
    if !report.differences.isEmpty {
        throw BenchmarkFailure("the peers came to different results with \(report.differences.joined(separator: "; "))")
    }
} catch {
    FileHandle.standardError.write(Data("peers: \(error)\n".utf8))
    exit(2)
}
