/// What a ``WebSocket`` needs of its connection: messages, framed by this module or by the engine.
protocol SocketDriver: AnyObject, Sendable {
    /// The next message; nil after an orderly end.
    func next(isolation actor: isolated (any Actor)?) async throws -> WebSocketMessage?
    func send(_ message: WebSocketMessage) async throws
    /// Sends a ping, and returns the time until its pong.
    func ping() async throws -> Duration
    /// Closes the connection, and returns at its end.
    func close(_ code: WebSocketCloseCode, reason: String) async
    /// Closes the connection without waiting, since it is not used any longer.
    func abandon()
    /// The end of the connection; nil while it is open.
    var end: SocketEnd? { get }
}

/// The end of a socket, of which there is one.
enum SocketEnd: Sendable {
    case closure(WebSocketClosure)
    case failure(WebSocketError)

    /// The end of the messages: nil for an orderly one.
    var error: WebSocketError? {
        switch self {
        case .failure(let error): error
        case .closure(let closure) where closure.isLocal || closure.code.isOrderly: nil
        case .closure(let closure):
            WebSocketError(
                .closedByPeer, "The peer closed the connection with code \(closure.code).", closeCode: closure.code)
        }
    }

    var closure: WebSocketClosure {
        switch self {
        case .closure(let closure): closure
        case .failure(let error):
            WebSocketClosure(code: error.closeCode ?? .abnormal, isLocal: error.closeCode != nil)
        }
    }
}
