import Delegation

/// A call of a method of the delegate.
struct DelegateCall: Sendable {
    let target: WeakTarget
    /// The selector that the app has set.
    let selector: String
    /// The default one, for which a method of the protocol is called.
    let standard: String
}
