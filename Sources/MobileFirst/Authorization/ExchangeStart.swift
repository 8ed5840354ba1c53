/// The servers and the registration of an exchange, which a later change of the server does not affect.
struct ExchangeStart: Sendable {
    let servers: Result<ClientState.Servers, WLError>
    /// A new registration is kept only if it is current.
    let registrations: RegistrationKeeper.Snapshot
}

/// A login or logout that has started. Run it exactly once, since it may hold a lease.
struct StartedExchange: Sendable {
    let start: ExchangeStart
    /// The lease, or the error of a call during another exchange.
    let lease: Result<AuthorizationQueue.Lease, WLError>

    /// The error of a call during another exchange; nil if the call has the lease.
    var refusal: WLError? { if case .failure(let error) = lease { error } else { nil } }
}
