import Delegation
public import Foundation
import Synchronization

/// The class of version 2.2 of the vendor's library.
public typealias ODPUserManager = SMPUserManager
/// The class of version 2.1 of the vendor's library.
public typealias LiteSUPUserManager = SMPUserManager

/// Registers and deletes the app's user, with the vendor's calls. ``SMPClientConnection`` has asynchronous ones.
///
/// ```swift
/// SMPUserManager.setDelegate(self)
/// let manager = SMPUserManager.initializeWithConnection(connection)
/// var error: NSError?
/// manager.registerUser("ann", password: password, error: &error, isSyncFlag: false)
/// ```
/// Thread-safe.
public final class SMPUserManager: Sendable {
    private static let delegate = Mutex(WeakTarget(nil))

    /// The application connection.
    public let connection: SMPClientConnection
    private let error = Mutex<SMPError?>(nil)

    /// Creates a manager of a connection.
    public init(connection: SMPClientConnection) { self.connection = connection }

    /// Creates a manager of a connection.
    public static func initializeWithConnection(_ connection: SMPClientConnection) -> SMPUserManager {
        SMPUserManager(connection: connection)
    }

    /// ``initializeWithConnection(_:)`` under the name that Swift's importer derives.
    public static func initialize(with connection: SMPClientConnection) -> SMPUserManager {
        SMPUserManager(connection: connection)
    }

    /// ``connection`` under the vendor's name.
    public var clientConnection: SMPClientConnection { connection }

    /// Sets the delegate of all managers; held weakly.
    public static func setDelegate(_ delegate: (any SMPUserManagerDelegate)?) {
        let target = WeakTarget(delegate)
        Self.delegate.withLock { $0 = target }
    }

    /// The delegate of all managers.
    public static func getDelegate() -> (any SMPUserManagerDelegate)? {
        delegate.withLock(\.object) as? any SMPUserManagerDelegate
    }

    /// The error of the last call; nil after a success.
    public var lastError: SMPError? { error.withLock(\.self) }

    /// ``lastError`` as an `NSError`, whose domain is `Patchbay.SMPError` and whose codes are the vendor's.
    public var registrationError: NSError? { lastError.map { $0 as NSError } }

    /// The identifier of the registration; nil without one.
    public var applicationConnectionID: String! { connection.applicationConnectionID }

    /// Registers the app for a user.
    /// - Parameters:
    ///   - error: set if this returns false.
    ///   - isSyncFlag: true to block the calling thread until the end, without the delegate; false to return at once
    ///     and to call the delegate.
    /// - Returns: whether the user is registered; with `isSyncFlag` false, whether the registration has started.
    @available(*, noasync, message: "registerUser may block its thread; await connection.register(user:password:).")
    @discardableResult
    public func registerUser(
        _ user: String, password: String, error: inout NSError?, isSyncFlag: Bool
    ) -> Bool {
        guard connection.isAnonymous || !user.isEmpty && !password.isEmpty else {
            return record(SMPError(.emptyParameters, "The user or the password is empty."), in: &error)
        }
        // The server of now: the password must not go to one that the app sets later.
        let server: Result<SMPClientConnection.Server, any Error> = Result { try connection.server() }
        let work: @Sendable () async throws -> Void = { [connection] in
            try await connection.register(user: user, password: password, at: server.get())
        }
        guard isSyncFlag else {
            error = nil
            _ = CallHandle.start(delivery: connection.session.configuration.delivery, work) { [self] result in
                let failure = result.failure.map { SMPError($0) }
                let delegate = Self.getDelegate()
                if record(failure) {
                    delegate?.userRegistrationSuccessful(self)
                } else {
                    delegate?.userRegistrationFailed(self)
                }
            }
            return true
        }
        return record(block(work), in: &error)
    }

    /// Fails: captchas belong to the messaging channel, which is not published.
    @discardableResult
    public func registerUser(
        _ user: String, password: String, captchaText: String, error: inout NSError?, isSyncFlag: Bool
    ) -> Bool {
        record(
            SMPError(
                .unsupported, "The server's REST interface has no captcha; use registerUser without a captcha text."),
            in: &error)
    }

    /// Deletes the app's registration on the server; blocks the calling thread.
    /// - Returns: false with `error` if it failed.
    @available(*, noasync, message: "deleteUser blocks its thread; await connection.delete().")
    @discardableResult
    public func deleteUser(_ user: String, password: String, error: inout NSError?) -> Bool {
        record(block { [connection] in try await connection.delete(user: user, password: password) }, in: &error)
    }

    /// Deletes the app's registration on the server, as Swift's importer writes it; blocks the calling thread.
    /// - Throws: ``SMPError``.
    @available(*, noasync, message: "deleteUser blocks its thread; await connection.delete().")
    public func deleteUser(_ user: String, password: String) throws(SMPError) {
        let failure = block { [connection] in try await connection.delete(user: user, password: password) }
        if !record(failure), let failure { throw failure }
    }

    /// Blocks until the work has ended.
    /// - Returns: its error.
    @available(*, noasync)
    private func block(_ work: @escaping @Sendable () async throws -> Void) -> SMPError? {
        do {
            try Blocking.run(work)
            return nil
        } catch {
            return SMPError(error)
        }
    }

    /// - Returns: true without an error.
    private func record(_ failure: SMPError?, in error: inout NSError?) -> Bool {
        error = failure.map { $0 as NSError }
        return record(failure)
    }

    /// - Returns: true without an error.
    private func record(_ failure: SMPError?) -> Bool {
        error.withLock { $0 = failure }
        return failure == nil
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
