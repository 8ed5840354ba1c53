import Authentication
import Coordination
public import HTTPMessages
public import RequestModel
public import ResponseDecoding
public import Transport

/// A client of one HTTP API.
///
/// ```swift
/// let github = try APIClient("https://api.github.com", over: .standard.authorizing(with: tokens, at: .baseURL)) {
///     $0.fields[.userAgent] = "Shop/3"
/// }
/// let issues: [Issue] = try await github.get("repos/\(owner)/\(name)/issues", query: ["state": "open"])
/// let made: Issue = try await github.post("repos/\(owner)/\(name)/issues", json: NewIssue(title: "It breaks"))
/// ```
///
/// A client is a value: ``with(_:)`` gives a changed copy, so each call can have other settings. A call takes its
/// settings when it begins. A status other than 2xx is an error, made by ``errors``.
public struct APIClient: Sendable {
    /// The URL that the paths of calls are appended to.
    public let baseURL: BaseURL
    /// Sends the requests.
    public let transport: AnyTransport
    /// Header fields, query parameters and options of all calls.
    public var defaults: RequestData {
        didSet { defaults.options = Self.options(defaults.options, baseURL) }
    }
    /// How the fields and parameters of a call are merged into those of the client; default by name.
    public var mergeRule = MergeRule.byName
    /// How JSON is written and read.
    public var json = JSONFormat()
    /// Further formats of responses, chosen by `Content-Type`; default none.
    public var formats: [any BodyFormat] = []
    /// The statuses and media types that are accepted; default 2xx.
    public var validation = ResponseValidation.standard
    /// Makes the error of a status that is not accepted; default ``ErrorDecoding/jsonValue``.
    public var errors = ErrorDecoding.jsonValue
    /// The most bytes of an error body that an error keeps; default 64 KiB. More than the request's
    /// `maximumResponseBytes` is an error of its own.
    public var maximumErrorBytes = 64 << 10
    /// Measures the waits of downloads; the stack has a clock of its own.
    let clock: AnyMonotonicClock

    /// Creates a client.
    /// - Parameters:
    ///   - baseURL: absolute, without query; `https://example.com/api` and `https://example.com/api/` are the same.
    ///   - stack: the layers and the engine; default ``Stack/standard``.
    ///   - configure: changes the settings.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(
        _ baseURL: String, over stack: Stack = .standard, _ configure: (inout APIClient) -> Void = { _ in }
    ) throws(HTTPMessageError) {
        try self.init(baseURL, AnyTransport(stack), stack.monotonicClock, configure)
    }

    /// Creates a client over any transport, such as a fake; the parameters are those of ``init(_:over:_:)``.
    /// - Parameter clock: measures the waits of downloads.
    /// - Throws: `HTTPMessageError` (`invalidURL`, `unsupportedScheme`, `userInfoInURL`).
    public init(
        _ baseURL: String, over transport: some Transport, clock: some Clock<Duration> = ContinuousClock(),
        _ configure: (inout APIClient) -> Void = { _ in }
    ) throws(HTTPMessageError) {
        try self.init(baseURL, AnyTransport(transport), AnyMonotonicClock(clock), configure)
    }

    private init(
        _ baseURL: String, _ transport: AnyTransport, _ clock: AnyMonotonicClock,
        _ configure: (inout APIClient) -> Void
    ) throws(HTTPMessageError) {
        self.baseURL = try BaseURL(baseURL)
        self.transport = transport
        self.clock = clock
        defaults = RequestData(options: Self.options(nil, self.baseURL))
        configure(&self)
        (transport.base as? any BaseURLClaiming)?.claimBaseURL(self.baseURL.origin)
    }

    /// A copy with changes.
    public func with(_ change: (inout APIClient) throws -> Void) rethrows -> APIClient {
        var changed = self
        try change(&changed)
        return changed
    }

    /// The header fields of all calls.
    public var fields: HTTPFields {
        get { defaults.fields }
        set { defaults.fields = newValue }
    }

    /// The query parameters of all calls.
    public var query: Query {
        get { defaults.query }
        set { defaults.query = newValue }
    }

    /// The timeouts, limits and layer options of all calls.
    public var options: RequestOptions {
        get { defaults.options ?? RequestOptions() }
        set { defaults.options = newValue }
    }

    /// Options that name the base URL, for `AllowedOrigins.baseURL`.
    private static func options(_ options: RequestOptions?, _ baseURL: BaseURL) -> RequestOptions {
        var options = options ?? RequestOptions()
        options.baseOrigin = baseURL.origin
        return options
    }
}

extension APIClient: CustomStringConvertible, CustomReflectable {
    /// The base URL.
    public var description: String { "APIClient(\(baseURL))" }
    /// The settings, with secrets redacted.
    public var customMirror: Mirror { Mirror(self, children: ["baseURL": baseURL, "defaults": defaults]) }
}
