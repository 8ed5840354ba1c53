import Foundation
@_exported public import PatchbayErrors

/// Why a loopback server could not start, or cannot go on with a connection.
public struct LoopbackError: PatchbayError, Hashable {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The port cannot be listened on.
        public static let cannotListen = Code(name: "cannotListen", number: 1)
        /// The connection ended, or the server was stopped.
        public static let connectionLost = Code(name: "connectionLost", number: 2)
        /// What the client sent is not a request, or one that the server does not take.
        public static let refusedRequest = Code(name: "refusedRequest", number: 3)
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
}
