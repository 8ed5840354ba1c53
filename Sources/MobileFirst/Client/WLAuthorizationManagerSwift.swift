/// ``WLAuthorizationManager`` as the vendor's pure-Swift class has it: with a shared instance that is not optional.
public final class WLAuthorizationManagerSwift: WLAuthorizationManager, @unchecked Sendable {
    /// The manager of the shared client, the same as that of ``WLAuthorizationManager``.
    public override class func sharedInstance() -> WLAuthorizationManagerSwift { WLClient.instance.manager }
}
