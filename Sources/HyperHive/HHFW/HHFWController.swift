import Coordination
public import Delegation
import Foundation
public import PatchbayErrors
import Synchronization

/// Handle of an asynchronous call, which can be cancelled.
public typealias HHFWCall = CallHandle

/// The vendor's controller.
///
/// ```swift
/// HHFWController.sharedInstance().auth("north", password: password) { result in
///     guard (result as? NSDictionary)?["status"] as? String == "ok" else { return }
/// }
/// ```
/// Each handler is called exactly once with the envelope, an `NSDictionary` (``HyperHiveResult/dictionary``).
///
/// | calls | handler |
/// |---|---|
/// | `deltaStream`, `tableStream`, `table`, `retryTable` | before the call returns, on its thread, which blocks |
/// | all others | later, on ``delivery`` |
///
/// Thread-safe. ``client`` is the same client with async functions and typed errors.
public final class HHFWController: Sendable {
    /// The client that makes the calls.
    public let client: HyperHive
    // Neither the cooperative pool nor Dispatch: the app may block all of their threads, until these calls end. Many
    // threads, since handlers with `inline` delivery may block them too.
    private let executor = WorkerThreads(count: 64, name: "patchbay.hhfw")
    private let state = Mutex(State())

    private struct State {
        var delivery = Delivery.main
        var lastError: HyperHiveError?
        var log: @Sendable (String) -> Void = { NSLog($0.replacing("%", with: "%%")) }
    }

    /// Creates a controller of its own for a client, such as one over a fake transport. Apps use ``sharedInstance()``.
    public init(client: HyperHive) { self.client = client }

    /// Where handlers are called; default the main queue. A change affects later calls.
    public var delivery: Delivery {
        get { state.withLock(\.delivery) }
        set { state.withLock { $0.delivery = newValue } }
    }

    /// The error of the last failed call that returns a Boolean or a parameter, such as ``openBase(_:key:)``.
    public var lastError: HyperHiveError? { state.withLock(\.lastError) }

    /// Receives each such error as text without secrets, on the thread of the call; default the system's log.
    public var log: @Sendable (String) -> Void {
        get { state.withLock(\.log) }
        set { state.withLock { $0.log = newValue } }
    }

    // MARK: Session

    /// Sets server, environment, project and device. Called again, it replaces them and drops the token.
    /// - Parameters:
    ///   - apiVersion: nil or empty for `v1`.
    ///   - host: URL with scheme, with or without a trailing slash.
    public func initWithCredentials(
        _ apiVersion: String?, host: String?, environment: String?, project: String?, device: String?
    ) {
        initWithCredentials(
            apiVersion, host: host, environment: environment, project: project, application: nil, device: device)
    }

    /// Sets server, environment, project, application and device, as in release 9.2u9 of the vendor's framework.
    ///
    /// See ``initWithCredentials(_:host:environment:project:device:)`` and ``HyperHiveConfiguration/application``.
    public func initWithCredentials(
        _ apiVersion: String?, host: String?, environment: String?, project: String?, application: String?,
        device: String?
    ) {
        var configuration = HyperHiveConfiguration(
            apiVersion: apiVersion.nonEmpty ?? "v1", host: host ?? "", environment: environment ?? "",
            project: project ?? "", device: device ?? "")
        configuration.application = application ?? ""
        client.configure(configuration)
    }

    /// Signs in, and keeps the token. In the envelope it is redacted.
    @discardableResult
    public func auth(_ login: String?, password: String?, handler: ((Any?) -> Void)?) -> HHFWCall {
        // On this thread, in the order of the app's calls: also of those that sign out, or set another server.
        let begun = client.session.beginSignIn()
        return start(handler) { [client] (_) async throws(HyperHiveError) in
            try await client.signIn(login ?? "", password: password ?? "", as: begun)
        }
    }

    /// Drops the token. Local data stays.
    @discardableResult
    public func unAuth(handler: ((Any?) -> Void)? = nil) -> HHFWCall {
        client.signOut()
        return start(handler) { (_) async throws(HyperHiveError) in CallLog("unAuth").result(.ok) }
    }

    /// True after ``auth(_:password:handler:)``, until ``unAuth(handler:)``, new credentials, or a response with status
    /// 401.
    public var isAuthorized: Bool { client.isSignedIn }

    /// Sets the maximum number of retries of all calls; default 0.
    public func setRetryCount(_ count: Int) { client.session.change { $0.options.retryCount = count } }

    /// Sets the seconds before each retry of all calls; default 0.
    public func setRetryIntervalSec(_ seconds: Int) {
        client.session.change { $0.options.retryInterval = .seconds(seconds) }
    }

    // MARK: Calls

    /// A call with the session in which the app has made it.
    typealias Work = @Sendable (ClientSession.Snapshot) async throws(HyperHiveError) -> HyperHiveResult

    /// Starts a call whose handler is called later.
    @discardableResult
    func start(_ handler: ((Any?) -> Void)?, _ work: @escaping Work) -> HHFWCall {
        // Now: the app may sign out before the work begins.
        let session = client.session.snapshot
        return CallHandle.start(delivery: delivery, executor: executor) {
            try await work(session)
        } completion: {
            handler?(Self.envelope($0).dictionary)
        }
    }

    /// Runs a call on this thread, then its handler.
    func block(_ handler: ((Any?) -> Void)?, _ work: @escaping Work) {
        let session = client.session.snapshot
        let result = Result { try Blocking.run { try await work(session) } }
        handler?(Self.envelope(result).dictionary)
    }

    private static func envelope(_ result: Result<HyperHiveResult, any Error>) -> HyperHiveResult {
        switch result {
        case .success(let result): result
        case .failure(let error): CallLog("call").error(error).result
        }
    }

    /// Runs a local call; nil when it fails, with its error in ``lastError`` and ``log``.
    func local<Value>(_ work: () throws(HyperHiveError) -> Value) -> Value? {
        do throws(HyperHiveError) {
            return try work()
        } catch {
            let log = state.withLock { state in
                state.lastError = error
                return state.log
            }
            log("HyperHive: \(error.result.request.type) failed: \(error)")
            return nil
        }
    }
}

extension HHFWController: RedactedStringConvertible {
    /// The client.
    public var description: String { client.description }
}
