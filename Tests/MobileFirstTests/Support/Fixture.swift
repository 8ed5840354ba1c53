import Delegation
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import Synchronization
import TestSupport
import Transport
import VendorServices

/// A client with inline delivery over an emulated server, which records the requests. By default no time passes.
struct Fixture: Sendable {
    static let server = "https://mfp.example.test/mfp"

    let service: MobileFirstService
    let transport: ScriptedTransport
    let client: WLClient
    let warnings = Watched<[String]>([])

    init(
        clock: some Clock<Duration> = ManualClock(),
        registrations: some WLRegistrationStore = WLMemoryRegistrationStore(),
        service change: (inout MobileFirstService.Configuration) -> Void = { _ in },
        date: (@Sendable () -> Date)? = nil,
        configure: (inout WLConfiguration) -> Void = { _ in }
    ) {
        var serviceConfiguration = MobileFirstService.Configuration()
        serviceConfiguration.signatures = .rs256
        let start = serviceConfiguration.startTime
        change(&serviceConfiguration)
        let service = MobileFirstService(serviceConfiguration, clock: clock)
        self.service = service
        let backend = TestTransport.service(service)
        transport = ScriptedTransport { try await backend.send($0) }
        var configuration = Self.configuration
        configuration.warn = { [warnings] text in warnings.update { $0.append(text) } }
        configure(&configuration)
        client = WLClient(
            configuration, transport: transport, registrations: registrations, clock: clock, date: date ?? { start })
        client.delivery = .inline
    }

    static var configuration: WLConfiguration {
        WLConfiguration(serverURL: server, applicationID: "com.example.app", applicationVersion: "1.0")
    }

    /// A request of the client.
    func request(
        _ path: String?, _ method: String = WLHttpMethodGet, scope: String? = nil, timeout: TimeInterval? = nil,
        service: String? = nil
    ) -> WLResourceRequest {
        client.request(path, method, scope: scope, timeout: timeout, service: service)
    }

    /// Registers a handler that submits these PINs in turn, and cancels without more.
    @discardableResult
    func pins(_ pins: String...) -> CheckHandler {
        register(CheckHandler("PinCode", pins.map { ["pin": $0] }))
    }

    @discardableResult
    func register<Handler: BaseChallengeHandler>(_ handler: Handler) -> Handler {
        client.registerChallengeHandler(handler)
        return handler
    }

    /// The paths of the requests below `/mfp/api`, in order.
    var paths: [String] { transport.requests.map { $0.url.path().replacing("/mfp/api/", with: "") } }

    /// The requests whose path contains a text.
    func requests(_ path: String) -> [HTTPRequest] { transport.requests.filter { $0.url.path().contains(path) } }
}

extension WLClient {
    func request(
        _ path: String?, _ method: String = WLHttpMethodGet, scope: String? = nil, timeout: TimeInterval? = nil,
        service: String? = nil
    ) -> WLResourceRequest {
        WLResourceRequest(
            url: path.flatMap { URL(string: $0) }, method: method, scope: scope, timeout: timeout,
            backendServiceName: service, client: self)
    }

    /// A client over a scripted transport, with inline delivery.
    static func scripted(
        _ transport: some Transport, _ configure: (inout WLConfiguration) -> Void = { _ in }
    ) -> WLClient {
        var configuration = Fixture.configuration
        configuration.warn = { _ in }
        configure(&configuration)
        let client = WLClient(configuration, transport: transport)
        client.delivery = .inline
        return client
    }
}

extension WLResponse {
    /// A member of the JSON of the emulated server.
    func member(_ name: String) -> JSONValue? {
        guard let httpResponse else { return nil }
        return (try? JSONValue(parsing: httpResponse.body))?[name]
    }
}

extension ExactlyOnce {
    /// The value of the first completion.
    /// - Throws: its error.
    var value: Value {
        get async throws {
            switch try await outcome {
            case .success(let value): return value
            case .failure(let error): throw error
            case .cancellation: throw CancellationError()
            }
        }
    }
}

/// Runs a call and returns its error.
func failure<Value>(of body: () async throws(WLError) -> Value) async -> WLError? {
    do throws(WLError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
