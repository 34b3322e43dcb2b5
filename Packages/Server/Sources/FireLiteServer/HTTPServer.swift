import FireLiteBrowser
import FireLiteService
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import UnixSignals

/// A service behind HTTP, on Hummingbird.
public struct HTTPServer: Sendable {
    private let service: FHIRService?
    private let settings: ServerSettings
    private let pages: PageResponder?
    /// Whether the pages ask for a session; nil without pages.
    private let asksForSession: Bool?
    private let logger: Logger

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - service: what answers.
    ///   - settings: where it listens, and whom it lets in.
    ///   - browser: what shows the store as pages under `/browse`; nil to have none.
    ///   - logger: where it logs.
    public init(
        _ service: FHIRService, settings: ServerSettings = ServerSettings(), browser: StoreBrowser? = nil,
        logger: Logger = Logger(label: "firelite-server")
    ) {
        self.service = service
        if let browser { pages = { await browser.respond(to: $0) } } else { pages = nil }
        asksForSession = browser.map { $0.configuration.sessions != nil }
        self.settings = settings
        self.logger = logger
    }

    /// Makes a server of pages alone, for a store that is not open yet.
    ///
    /// - Parameters:
    ///   - door: the pages, which open the store.
    ///   - settings: where it listens, and whom it lets in.
    ///   - logger: where it logs.
    public init(_ door: StoreDoor, settings: ServerSettings = ServerSettings(), logger: Logger = Logger(label: "firelite-server")) {
        service = nil
        pages = { await door.respond(to: $0) }
        asksForSession = door.asksForSession
        self.settings = settings
        self.logger = logger
    }

    /// Serves until the task is cancelled or the process gets SIGTERM or SIGINT. Requests that have begun are answered first.
    ///
    /// - Parameters:
    ///   - handlesSignals: whether signals end it. Default: true.
    ///   - onRunning: called with the port once it listens.
    /// - Throws: ``ServerError`` if other machines reach its address and there is neither an authorizer nor sessions, unless
    ///   ``ServerSettings/isOpenToEverybody`` is set; errors of the system's sockets, and of the certificate.
    public func run(handlesSignals: Bool = true, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        try settings.requireAuthorization(service, asksForSession: asksForSession)
        let idle = TimeAmount.seconds(max(1, settings.idleTime.components.seconds))
        let maximumBody = settings.maximumBody
        let crowd = ConnectionCrowd(maximum: settings.connections)
        let isPlain = settings.certificate == nil
        let streams = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(time: idle, maximumBody: maximumBody, crowd: crowd, isCounting: isPlain)])
        let server: HTTPServerBuilder
        if let certificate = settings.certificate {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain)
            let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            tls.minimumTLSVersion = .tlsv12
            let connections = HTTP2ChannelConfiguration(
                idleTimeout: .seconds(settings.idleTime.components.seconds), streamConfiguration: streams)
            let configuration = tls
            server = HTTPServerBuilder { responder in
                SecureChannel(
                    base: try HTTP2UpgradeChannel(tlsConfiguration: configuration, configuration: connections, responder: responder),
                    time: idle, crowd: crowd)
            }
        } else {
            server = HTTPServerBuilder { responder in LoopChannel(base: HTTP1Channel(responder: responder, configuration: streams)) }
        }
        let application = Application(
            responder: ServiceResponder(service, settings, pages), server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.address, port: settings.port), serverName: "FireLite",
                availableConnectionsDelegate: MaximumAvailableConnections(settings.connections)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
        do {
            try await application.runService(gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [])
        } catch {
            await service?.stop()
            throw error
        }
        await service?.stop()
    }
}
