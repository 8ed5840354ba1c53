import Synchronization

/// A session as it is when the app starts a request: later changes of the session are not for this request.
struct SessionSnapshot: Sendable {
    /// The number of calls of `clear()`.
    let generation: Int
    /// The settings for SAP's servers.
    let sap: SAPState.Settings

    init(_ session: SDMSession) {
        generation = session.generation
        sap = session.sap.settings.withLock(\.self)
    }
}
