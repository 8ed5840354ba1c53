import Foundation
@_exported public import PatchbayErrors

/// An error of a loopback server or of one of its connections.
public struct LoopbackError: PatchbayError, Hashable {
    /// The kind of failure.
    public let code: Code
    /// A description for a developer.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a system call, by default the last one's.
    static func system(_ what: String, _ code: Int32 = errno) -> LoopbackError {
        LoopbackError(.cannotListen, "\(what): \(String(cString: strerror(code))).")
    }

    /// The error of a wait that nothing can meet any more.
    static func stopped(_ what: String) -> LoopbackError {
        LoopbackError(.connectionLost, "The server has stopped: \(what).")
    }
}

extension ErrorCode where Failure == LoopbackError {
    /// Binding to the port or listening on it failed.
    public static var cannotListen: Self { Self(1) }
    /// The client closed the connection, or the server was stopped.
    public static var connectionLost: Self { Self(2) }
    /// The client sent a malformed or unsupported request.
    public static var refusedRequest: Self { Self(3) }
}
