/// How a call knows its delegate: weakly, as Cocoa's delegates are, or for as long as the call lasts.
///
/// ```swift
/// DelegateReference { [weak delegate] in delegate }
/// ```
/// The delegate need not be `Sendable`: it is touched nowhere but where ``Delivery`` takes the callbacks.
public struct DelegateReference<Delegate>: @unchecked Sendable {
    // Unchecked because a delegate may be of any class. The closure only carries the reference; whoever calls it is
    // already on the queue that the delegate's owner chose.
    private let resolve: () -> Delegate?

    /// A reference that is looked up when it is needed.
    public init(_ resolve: @escaping () -> Delegate?) { self.resolve = resolve }

    /// The delegate, or nil when it is gone. To be asked only where callbacks are delivered.
    public var delegate: Delegate? { resolve() }
}
