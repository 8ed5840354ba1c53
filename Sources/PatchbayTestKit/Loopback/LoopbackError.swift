import Foundation

/// Why a loopback server could not start, or cannot go on with a connection.
public struct LoopbackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The code's name, as it is written in Swift.
        public var description: String { name }

        /// The port cannot be listened on.
        public static let cannotListen = Code("cannotListen")
        /// The connection ended, or the server was stopped.
        public static let connectionLost = Code("connectionLost")
        /// What the client sent is not a request, or one that the server does not take.
        public static let refusedRequest = Code("refusedRequest")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, for a developer.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of the system call that has just failed.
    static func system(_ what: String) -> LoopbackError {
        LoopbackError(.cannotListen, "\(what): \(String(cString: strerror(errno))).")
    }

    /// The message with its code.
    public var description: String { "\(message) [\(code)]" }
}
