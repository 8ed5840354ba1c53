import Coordination
import Foundation
public import HTTPMessages
public import Transport

extension Transport {
    /// Opens a WebSocket.
    ///
    /// The handshake is a GET through this transport: its layers add credentials and cookies, follow redirects, and
    /// retry; its engine has the proxy and the trust. The timeouts of the request are those of the handshake.
    /// - Parameters:
    ///   - request: a GET for an `http` or `https` URL, which stand for `ws` and `wss`.
    ///   - observer: receives the progress events of the handshake, or nil.
    ///   - clock: measures the intervals and timeouts of the options; tests can pass a manual clock.
    /// - Throws: ``WebSocketError`` (`invalidArgument`, `handshakeRefused`, `invalidHandshake`); the errors of
    ///   `Transport.send(_:observer:)`, among them `unsupported` for an engine without WebSockets.
    public func webSocket(
        _ request: HTTPRequest, options: WebSocketOptions = WebSocketOptions(),
        observer: (any TransferObserver)? = nil, clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> WebSocket {
        try await webSocket(
            request, options: options, observer: observer, clock: AnyMonotonicClock(clock), endsQuietly: false)
    }

    /// Opens a WebSocket at a URL with the scheme `ws` or `wss`, or `http` or `https`.
    /// - Throws: as ``webSocket(_:options:observer:clock:)``; `HTTPMessageError` for an invalid URL.
    public func webSocket(_ url: String, options: WebSocketOptions = WebSocketOptions()) async throws -> WebSocket {
        try await webSocket(HTTPRequest(webSocket: url), options: options)
    }

    func webSocket(
        _ request: HTTPRequest, options: WebSocketOptions, observer: (any TransferObserver)?,
        clock: AnyMonotonicClock, endsQuietly: Bool
    ) async throws -> WebSocket {
        let handshake = WebSocketHandshake(options)
        do {
            let response = try await send(handshake.request(request), observer: observer)
            switch response.head.upgradedStream {
            case .bytes(let connection):
                do throws(WebSocketError) {
                    let agreement = try handshake.agreement(response.head)
                    let driver = try FramedSocket(
                        connection, role: .client, agreement, options, clock: clock,
                        masks: SystemRandomNumberGenerator())
                    return WebSocket(response.head.released, agreement, driver, endsQuietly: endsQuietly)
                } catch {
                    connection.close()
                    throw error
                }
            case .webSocket(let connection):
                do throws(WebSocketError) {
                    let agreement = try handshake.agreement(response.head, isFramed: true)
                    let driver = EngineSocket(connection, options, clock: clock)
                    return WebSocket(response.head.released, agreement, driver, endsQuietly: endsQuietly)
                } catch {
                    connection.close(code: Int(WebSocketCloseCode.protocolError.rawValue), reason: Data())
                    throw error
                }
            case nil:
                // Throws for every status but one.
                _ = try handshake.agreement(response.head)
                throw WebSocketError(
                    .invalidHandshake,
                    "The transport gives no connection with status 101; use an engine that supports WebSockets.",
                    status: response.head.status)
            }
        } catch var error as WebSocketError {
            error.failingURL = Redaction.standard.redacted(request.url)
            throw error
        }
    }
}

extension HTTPRequest {
    /// A GET for the URL of a WebSocket: `ws` and `wss` become `http` and `https`.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(webSocket url: String) throws(HTTPMessageError) {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        let rest = url.dropFirst(scheme.count)
        switch scheme {
        case "ws": try self.init(.get, "http\(rest)")
        case "wss": try self.init(.get, "https\(rest)")
        default: try self.init(.get, url)
        }
    }
}

extension HTTPResponseHead {
    /// The head without the connection, which the socket has.
    fileprivate var released: HTTPResponseHead {
        var head = self
        head.upgradedStream = nil
        return head
    }
}
