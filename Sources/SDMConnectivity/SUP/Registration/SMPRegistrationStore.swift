/// Keeps one registration for each server and application.
protocol SMPRegistrationStore: Sendable {
    /// The registration of an application; nil if there is none.
    /// - Throws: `StoreError`.
    func registration(of application: String, at server: String) throws -> SMPRegistration?

    /// Stores a registration, which replaces that of the application; nil removes it.
    /// - Throws: `StoreError`.
    func set(_ registration: SMPRegistration?, of application: String, at server: String) throws
}
