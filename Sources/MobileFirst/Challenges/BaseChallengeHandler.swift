/// The vendor's pure-Swift name; both names are one class.
public typealias BaseChallengeHandlerSwift = BaseChallengeHandler

/// The base of all challenge handlers: subclass ``SecurityCheckChallengeHandler`` or ``GatewayChallengeHandler``.
///
/// A handler is registered once, at start. Its methods are called on ``WLClient/delivery``, by default the main queue.
open class BaseChallengeHandler {
    /// The name of the security check or of the gateway.
    public let name: String

    /// Creates a handler without a name, for subclasses that override this.
    public init() { name = "" }

    /// Creates a handler; never nil here.
    public init!(name: String!) { self.name = name ?? "" }

    /// Cancels the challenge: the calls that wait for it fail with `challengeCancelled`. No effect without one.
    open func cancel() {}

    /// The name of the security check or of the gateway.
    open var handlerName: String! { name }
}
