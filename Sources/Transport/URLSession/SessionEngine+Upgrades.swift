import Coordination
import Foundation
import HTTPMessages
import Synchronization

#if canImport(Darwin)
    extension SessionEngine {
        /// Opens a WebSocket, with a head of status 101 once it is open, or the head of another response.
        ///
        /// The system sends the key, the version and the extensions of the handshake itself, and checks them.
        func upgraded(_ request: HTTPRequest, _ observer: (any TransferObserver)?) async throws -> HTTPResponse {
            guard !Task.isCancelled else { throw TransportError.cancelled(request) }
            let task = WebSocketTask(request, in: webSocketSession)
            let timeouts = request.options.timeouts
            let timer = [timeouts.response, timeouts.total].compactMap(\.self).min().map { limit in
                timers.clock.schedule(at: timers.clock.now + limit) {
                    let phase: Timeouts.Phase = limit == timeouts.total ? .total : .response
                    let whole = (timeouts[phase] ?? limit).secondsText
                    task.fail(.timedOut(phase, "Timed out: no WebSocket within \(whole).", request: request))
                }
            }
            defer { timer?.cancel() }
            let head = try await task.open()
            observer?.transfer(didEmit: .head(head))
            return HTTPResponse(head: head)
        }
    }

    /// A WebSocket of URLSession.
    final class WebSocketTask: WebSocketConnection {
        private let task: URLSessionWebSocketTask
        private let handshake: WebSocketHandshakeDelegate

        init(_ request: HTTPRequest, in session: URLSession) {
            task = session.webSocketTask(with: URLRequest(webSocket: request))
            task.maximumMessageSize = request.options.maximumMessageBytes
            handshake = WebSocketHandshakeDelegate(request)
            task.delegate = handshake
        }

        deinit { task.cancel() }

        /// Waits for the end of the handshake.
        func open() async throws -> HTTPResponseHead {
            task.resume()
            let request = handshake.request
            var head = try await handshake.opened.value { [self] in fail(TransportError.cancelled(request)) }.get()
            if head.status.code == 101 { head.upgradedStream = .webSocket(self) }
            return head
        }

        /// Fails the handshake.
        func fail(_ error: TransportError) {
            if handshake.opened.fulfill(.failure(error)) { task.cancel() }
        }

        // MARK: Connection

        func receive() async throws -> WebSocketConnectionMessage? {
            do {
                switch try await task.receive() {
                case .string(let text): return .text(text)
                case .data(let data): return .binary(data)
                @unknown default: return nil
                }
            } catch {
                if closeCode != nil { return nil }
                throw error
            }
        }

        func send(_ message: WebSocketConnectionMessage) async throws {
            switch message {
            case .text(let text): try await task.send(.string(text))
            case .binary(let data): try await task.send(.data(data))
            }
        }

        func ping() async throws {
            let pong = Promise<(any Error)?>()
            // Foundation may call it twice.
            task.sendPing { pong.fulfill($0) }
            if let error = await pong.value { throw error }
        }

        func close(code: Int, reason: Data) {
            // The type has no case for the codes of apps; they are sent by their number.
            let code = URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure
            task.cancel(with: code, reason: reason)
        }

        var closeCode: (code: Int, reason: Data)? {
            task.closeCode == .invalid ? nil : (task.closeCode.rawValue, task.closeReason ?? Data())
        }
    }

    /// The delegate of a WebSocket's task, for its handshake; all else of the task is for the session's delegate.
    ///
    /// The task keeps it, so it must not keep the task: that ends with the last reference to ``WebSocketTask``.
    private final class WebSocketHandshakeDelegate: NSObject, URLSessionWebSocketDelegate {
        let request: HTTPRequest
        let opened = Promise<Result<HTTPResponseHead, any Error>>()

        init(_ request: HTTPRequest) { self.request = request }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol name: String?
        ) {
            guard let status = HTTPStatus(101) else { return }
            var head = HTTPResponseHead(status: status, url: request.url)
            if let response = webSocketTask.response, let read = try? HTTPResponseHead(response, for: request) {
                head.fields = read.fields
            }
            head.method = request.method
            head.fields["Sec-WebSocket-Protocol"] = name
            opened.fulfill(.success(head))
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith code: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            // The reader gets an error, and the task has the code.
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            if let response = task.response, let head = try? HTTPResponseHead(response, for: request),
                head.status.code != 101
            {
                opened.fulfill(.success(head))
            }
            let failure = EngineFailure(error ?? URLError(.badServerResponse), origin: request.origin)
            opened.fulfill(
                .failure(
                    TransportError(
                        failure.code, failure.message, request: request, tlsFailure: failure.tlsFailure,
                        underlying: failure.underlying)))
        }
    }

    extension URLRequest {
        /// The request of a handshake: the system sets some of its fields.
        fileprivate init(webSocket request: HTTPRequest) {
            var components = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
            components?.scheme = request.url.scheme == "https" ? "wss" : "ws"
            self.init(url: components?.url ?? request.url)
            httpShouldHandleCookies = false
            timeoutInterval = .longerThanAnyRequest
            // A socket passes a proxy in a tunnel, so the credential of one would reach the server.
            let own = [
                "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "proxy-authorization",
            ]
            for field in request.fields where !own.contains(field.name.canonicalName) {
                addValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
        }
    }
#else
    extension SessionEngine {
        /// Foundation's WebSockets need a libcurl that is built with them, and do not offer what a stack needs.
        func upgraded(_ request: HTTPRequest, _ observer: (any TransferObserver)?) async throws -> HTTPResponse {
            throw TransportError(
                .unsupported, "URLSession on Linux has no WebSockets; use `CurlTransport`.", request: request)
        }
    }
#endif
