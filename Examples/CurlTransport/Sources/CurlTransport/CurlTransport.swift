import Foundation
public import HTTPMessages
public import Transport

/// A transport over the system's libcurl, for Linux.
///
/// libcurl (`libcurl.so.4`, 7.68 or later) is loaded when the first transport is created, so that a build needs neither
/// its headers nor a development package. Each instance has one thread, which runs all of its requests; copies share
/// it. It reuses connections, speaks HTTP/1.1 and HTTP/2, and follows no redirects, stores no cookies and caches
/// nothing.
///
/// ```swift
/// let transport = try CurlTransport(.init(proxy: .none))
/// let response = try await transport.redirecting().send(HTTPRequest(.get, "https://example.com/"))
/// ```
///
/// When the last copy is released, its requests finish, and the thread ends. ``shutdown(_:)`` waits for that.
public struct CurlTransport: StreamingTransport {
    let client: CurlClient

    /// Loads libcurl and starts the thread.
    /// - Parameters:
    ///   - configuration: limits and buffering.
    ///   - network: proxy, versions and certificates.
    ///   - clock: measures timeouts; tests can pass a manual clock.
    /// - Throws: `unsupported` when libcurl is missing or too old, or lacks an option; `proxy` or `tls` for an option
    ///   with an invalid value; `unknown` when the process is out of descriptors or threads.
    public init(
        configuration: Configuration = Configuration(), network: NetworkOptions = NetworkOptions(),
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(TransportError) {
        let library = try Self.library
        client = try CurlClient(
            library, configuration, network.validated(for: library.version), clock: EngineClock(clock))
    }

    /// Creates a transport with network options and a default configuration.
    /// - Throws: the errors of ``init(configuration:network:clock:)``.
    public init(_ network: NetworkOptions) throws(TransportError) { try self.init(network: network) }

    static var library: CurlLibrary {
        get throws(TransportError) {
            do throws(CurlError) {
                return try CurlLibrary.system.get()
            } catch {
                throw TransportError(.unsupported, error.message, underlying: error)
            }
        }
    }

    /// The version of the system's libcurl and of the libraries that it uses.
    /// - Throws: `unsupported` when libcurl is missing or too old.
    public static var libraryVersion: String {
        get throws(TransportError) { try library.versionText }
    }

    /// Sends one request.
    ///
    /// With ``HTTPMessages/RequestOptions/upgradeProtocol`` it goes over a connection of its own, by HTTP/1.1, and
    /// through a tunnel of a proxy.
    ///
    /// It is not retried, with one exception: libcurl sends an idempotent request again when the server has closed a
    /// reused connection without a response, or has refused it unprocessed (RFC 9113, section 8.7).
    ///
    /// The field `Proxy-Authorization` is sent to an HTTP proxy only, and not without one (RFC 9110, section 11.7.2).
    /// - Throws: `TransportError`; `HTTPMessageError` (`invalidTimeout`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        if let name = request.options.upgradeProtocol { return try await upgrade(request, to: name, observer) }
        let id = Call.makeID()
        let prepared = try prepare(request, id)
        return try await response(id, prepared, observer) { .buffered($0) }
    }

    /// Sends one request and returns when the response head has arrived.
    ///
    /// The transfer pauses while ``Configuration/streamBufferBytes`` are unread, so that the server stops sending.
    /// - Throws: the errors of ``send(_:observer:)`` that occur before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        if request.options.upgradeProtocol != nil {
            let response = try await send(request, observer: observer)
            return HTTPResponseStream(
                head: response.head,
                body: AsyncStream { [body = response.body] in
                    if !body.isEmpty { $0.yield(body) }
                    $0.finish()
                })
        }
        let id = Call.makeID()
        let prepared = try prepare(request, id)
        let mailbox = client.mailbox
        let pipe = ResponseBodyPipe(memoryLimit: client.streamBufferBytes) { mailbox.post(.continueReceiving(id)) }
        let head = try await response(id, prepared, observer) { .streamed($0, pipe) }.head
        return pipe.response(head, to: request) { mailbox.post(.cancel(id)) }
    }

    /// Ends the transport, and returns when its thread has ended and its connections are closed.
    ///
    /// Later requests fail with `cancelled`. A streamed response whose reader does not read delays a draining shutdown.
    public func shutdown(_ mode: Shutdown = .draining) async { await client.shutdown(mode) }

    struct PreparedRequest {
        let request: HTTPRequest
        let body: RequestBody
        let target: RequestTarget
    }

    func prepare(_ request: HTTPRequest, _ id: Call.ID) throws -> PreparedRequest {
        let hasHTTP3 = client.version.hasHTTP3 && request.url.scheme == "https"
        try request.checkForEngine { feature in
            switch feature {
            case .upgrades, .unixSockets, .nameOverrides, .expectations, .requestTrailers, .connectTimeout: true
            case .httpVersion(.http1): true
            case .httpVersion(.http2): client.version.hasHTTP2
            case .httpVersion(.http3): hasHTTP3
            @unknown default: false
            }
        }
        try request.options.validateDestination(of: request)
        let request = try request.withVersionForTrailers()
        guard request.method.name != "CONNECT" else {
            throw TransportError(
                .unsupported, "Method CONNECT opens tunnels, which this transport does itself; set a proxy.",
                request: request)
        }
        let mailbox = client.mailbox
        // Of a coded file the range would be a part of its coded bytes.
        let acceptsCodings = request.options.acceptsContentCodings && !request.fields.contains(.range)
        let coding = acceptsCodings ? client.acceptEncoding : "identity"
        return PreparedRequest(
            request: request, body: RequestBody(request) { mailbox.post(.continueSending(id)) },
            target: RequestTarget(request, acceptEncoding: coding))
    }

    func response(
        _ id: Call.ID, _ prepared: PreparedRequest, _ observer: (any TransferObserver)?,
        recipient: (CheckedContinuation<HTTPResponse, any Error>) -> Call.Recipient
    ) async throws -> HTTPResponse {
        let mailbox = client.mailbox
        let relay = observer.map { ObserverRelay($0) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let call = Call(
                    id, prepared.request, relay: relay, body: prepared.body, target: prepared.target,
                    recipient: recipient(continuation))
                guard !Task.isCancelled else { return call.fail(.cancelled(prepared.request)) }
                guard mailbox.post(.start(call)) else { return call.fail(.shutDown(prepared.request)) }
                // A cancellation before the start found no transfer to cancel.
                if Task.isCancelled { mailbox.post(.cancel(id)) }
            }
        } onCancel: {
            mailbox.post(.cancel(id))
        }
    }
}
