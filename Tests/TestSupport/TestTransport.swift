import Foundation
import HTTPMessages
public import PatchbayTestKit
public import Transport

/// The transport of the facades' tests over real sockets: ``URLSessionTransport``, or the engine that the environment
/// variable `PATCHBAY_TEST_TRANSPORT` names.
///
/// A package with an engine of its own runs the same tests over it: it links them with its own ``engines``.
public enum TestTransport {
    /// Creates an engine whose deadlines use a clock.
    typealias Factory = @Sendable (any Clock<Duration>) -> any StreamingTransport

    private static let named = ProcessInfo.processInfo.environment["PATCHBAY_TEST_TRANSPORT"]

    /// The name of the engine.
    public static let engine = named ?? "urlsession"

    /// A transport of the process; its users share connections.
    public static let shared = make()

    /// A transport whose deadlines never pass, so tests do not depend on the machine's speed.
    public static let withoutDeadlines = make(clock: ManualClock())

    /// Creates a transport.
    ///
    /// One whose engine is not linked fails every request with `unsupported`.
    /// - Parameter clock: measures timeouts; tests can pass a manual clock.
    public static func make(clock: some Clock<Duration> = ContinuousClock()) -> AnyTransport {
        if let factory = engines[engine] { return AnyTransport(factory(clock)) }
        return AnyTransport(
            FakeTransport { request in
                let names = engines.keys.sorted().joined(separator: ", ")
                throw TransportError(
                    .unsupported,
                    "Engine \"\(engine)\" of PATCHBAY_TEST_TRANSPORT is not linked into these tests; use one of: \(names).",
                    request: request)
            })
    }

    /// A transport to a service: in process, or, with an engine in `PATCHBAY_TEST_TRANSPORT`, over a socket, for
    /// requests to any host.
    public static func service(_ service: some HTTPService) -> AnyTransport {
        guard named != nil else { return AnyTransport(ServiceTransport(service)) }
        let server = Result { () throws(LoopbackError) in try LoopbackServer(service: service) }
        return AnyTransport(
            FakeTransport { request in
                let (url, query) = (request.url, request.url.query(percentEncoded: true).map { "?\($0)" } ?? "")
                var moved = request
                try moved.setURL(server.get().url(of: url.path(percentEncoded: true) + query))
                var response = try await withoutDeadlines.send(moved)
                response.head.url = url
                return response
            })
    }
}
