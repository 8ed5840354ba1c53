/// A credential in use by a call.
struct CredentialLease<Credential: Sendable>: Sendable {
    /// A credential with its times. A class, so that a lease costs one reference.
    final class Held: Sendable {
        let credential: Credential
        let generation: UInt64
        /// The time from which a refresh is due; nil without an expiry.
        let refreshTime: Duration?
        let expiry: Duration?

        init(_ credential: Credential, generation: UInt64, refreshTime: Duration?, expiry: Duration?) {
            self.credential = credential
            self.generation = generation
            self.refreshTime = refreshTime
            self.expiry = expiry
        }
    }

    let held: Held
    /// True if a server has accepted the credential; then no call needs to report that again.
    let isAccepted: Bool

    var credential: Credential { held.credential }
    /// Identifies the credential in its table.
    var generation: UInt64 { held.generation }
}
