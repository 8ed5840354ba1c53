/// ``WLClient`` as the vendor's pure-Swift class has it: with a shared instance that is not optional.
public final class WLClientSwift: WLClient, @unchecked Sendable {
    /// The shared client, the same as that of ``WLClient``.
    public override class func sharedInstance() -> WLClientSwift { instance }
}
