/// The servers and the registration of an exchange, which a later change of the server does not affect.
struct ExchangeStart: Sendable {
    let servers: Result<ClientState.Servers, WLError>
    /// A new registration is kept only if it is current.
    let registrations: RegistrationKeeper.Snapshot
}

/// A login or logout that has started. Run it exactly once, since it may have the turn.
struct StartedExchange: Sendable {
    let start: ExchangeStart
    /// The turn, or the error of a call during another exchange.
    let turn: Result<TurnQueue.Turn, WLError>

    /// The error of a call during another exchange; nil if the call has the turn.
    var refusal: WLError? { if case .failure(let error) = turn { error } else { nil } }
}
