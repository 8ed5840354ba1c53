/// Receives the outcome of an asynchronous registration, on the session's delivery, by default the main queue.
///
/// A delegate may also have both methods with the implicitly unwrapped parameter of the imported header.
public protocol SMPUserManagerDelegate: AnyObject {
    /// The app is registered.
    func userRegistrationSuccessful(_ userManager: SMPUserManager)
    /// ``userRegistrationSuccessful(_:)`` as Swift imported the vendor's header.
    func userRegistrationSuccessful(_ userManager: SMPUserManager!)
    /// The registration failed; see ``SMPUserManager/lastError``.
    func userRegistrationFailed(_ userManager: SMPUserManager)
    /// ``userRegistrationFailed(_:)`` as Swift imported the vendor's header.
    func userRegistrationFailed(_ userManager: SMPUserManager!)
}

extension SMPUserManagerDelegate {
    /// Calls the form with an unwrapped parameter.
    public func userRegistrationSuccessful(_ userManager: SMPUserManager) {
        userRegistrationSuccessful(Optional(userManager))
    }
    /// Does nothing.
    public func userRegistrationSuccessful(_ userManager: SMPUserManager!) {}
    /// Calls the form with an unwrapped parameter.
    public func userRegistrationFailed(_ userManager: SMPUserManager) { userRegistrationFailed(Optional(userManager)) }
    /// Does nothing.
    public func userRegistrationFailed(_ userManager: SMPUserManager!) {}
}
