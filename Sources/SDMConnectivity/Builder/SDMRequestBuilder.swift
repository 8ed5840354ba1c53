public import Foundation
import Synchronization

/// The factory of requests: to a SUP server by default, or plain HTTP.
///
/// ```swift
/// SDMRequestBuilder.setRequestType(HTTPRequestType)
/// let request = SDMRequestBuilder.requestWithURL(url)
/// request.startAsynchronous()
/// ```
/// The vendor's class methods use ``shared``. Make a builder of your own for another session. Thread-safe.
public final class SDMRequestBuilder: Sendable {
    private struct State: Sendable {
        var type: SDMRequestType?
        var channelPolicy: SUPChannelPolicy
        var isTracingEnabled = false
    }

    /// The builder of the class methods, for the shared session; keeps its request type in `UserDefaults`.
    public static let shared = SDMRequestBuilder(storage: .userDefaults())

    private let makeSession: @Sendable () -> SDMSession
    private let storage: SDMRequestTypeStorage
    private let state: Mutex<State>

    /// Creates a builder.
    /// - Parameters:
    ///   - session: the session of its requests; default the shared one.
    ///   - storage: keeps the request type.
    ///   - channelPolicy: what requests of the type ``SDMRequestType/sup`` do.
    public init(
        session: @autoclosure @escaping @Sendable () -> SDMSession = .shared, storage: SDMRequestTypeStorage,
        channelPolicy: SUPChannelPolicy = .rest
    ) {
        makeSession = session
        self.storage = storage
        state = Mutex(State(channelPolicy: channelPolicy))
    }

    /// The session of the builder's requests.
    public var session: SDMSession { makeSession() }

    /// The type of later requests, which is stored; default ``SDMRequestType/sup``, also for an unknown stored number.
    public var requestType: SDMRequestType {
        get {
            if let type = state.withLock(\.type) { return type }
            let stored = storage.load().flatMap { SDMRequestType(rawValue: $0) } ?? .sup
            return state.withLock { state in
                let type = state.type ?? stored
                state.type = type
                return type
            }
        }
        set {
            state.withLock { $0.type = newValue }
            storage.save(newValue.rawValue)
        }
    }

    /// What requests of the type ``SDMRequestType/sup`` do; default ``SUPChannelPolicy/rest``.
    public var channelPolicy: SUPChannelPolicy {
        get { state.withLock(\.channelPolicy) }
        set { state.withLock { $0.channelPolicy = newValue } }
    }

    /// True to trace later requests, see ``SDMHttpRequest/isTracingEnabled``; default false.
    public var isTracingEnabled: Bool {
        get { state.withLock(\.isTracingEnabled) }
        set { state.withLock { $0.isTracingEnabled = newValue } }
    }

    /// Makes a GET request of the current type.
    /// - Throws: ``SDMConnectivityException`` (`supRequestInitError`) by ``channelPolicy``.
    public func makeRequest(url: URL?) throws(SDMConnectivityException) -> any SDMRequesting {
        if requestType == .sup, channelPolicy == .fail { throw SUPRequest.channelError }
        return request(with: url)
    }

    /// Makes a GET request of the current type. With ``SUPChannelPolicy/fail`` a SUP request fails when it starts.
    public func request(with url: URL?) -> any SDMRequesting {
        let (policy, isTracingEnabled) = state.withLock { ($0.channelPolicy, $0.isTracingEnabled) }
        let isSUP = requestType == .sup
        let request = isSUP ? SUPRequest(url: url, session: session) : SDMHttpRequest(url: url, session: session)
        (request as? SUPRequest)?.channelPolicy = policy
        request.isTracingEnabled = isTracingEnabled
        return request
    }

    /// Makes a GET request with a cache.
    public func request(
        with url: URL?, usingCache cache: (any DownloadCaching)?, andCachePolicy policy: SDMCachePolicy = .default
    ) -> any SDMRequesting {
        let request = request(with: url)
        request.downloadCache = cache
        request.cachePolicy = policy
        return request
    }
}
