public import Delegation
public import Foundation
import HTTPMessages
public import Transport

extension WLClient {
    /// The shared client.
    static var instance: WLClientSwift { sharedClient.value }

    /// Configures the shared client. Call it once, before the first call of ``sharedInstance()`` and the first request.
    /// - Parameters:
    ///   - transport: sends all requests; default the network.
    ///   - registrations: keeps the client ID and the private key; default in memory.
    ///   - makePinnedTransport: makes the transport for pinned public keys, such as with the layers of `transport`;
    ///     default nil, as for a client of its own.
    /// - Throws: ``WLConfigurationError`` (`alreadyConfigured`, `alreadyInUse`; `invalidLimit` for a timeout of the
    ///   configuration that is not more than 0 and at most 100 years, and a negative `maximumResponseBytes`); nothing
    ///   changes then.
    public static func configureShared(
        _ configuration: WLConfiguration, transport: some Transport = URLSessionTransport.shared,
        registrations: some WLRegistrationStore = WLMemoryRegistrationStore(),
        makePinnedTransport: (@Sendable (Set<Data>) throws -> any Transport)? = nil
    ) throws(WLConfigurationError) {
        for (name, timeout) in [
            ("requestTimeout", configuration.requestTimeout), ("loginTimeout", configuration.loginTimeout),
        ] {
            do {
                _ = try Duration.timeout(seconds: timeout)
            } catch {
                throw WLConfigurationError(.invalidLimit, "`WLConfiguration.\(name)`: \(error.message)")
            }
        }
        guard configuration.maximumResponseBytes >= 0 else {
            throw WLConfigurationError(
                .invalidLimit,
                "`WLConfiguration.maximumResponseBytes` is \(configuration.maximumResponseBytes); use 0 or more.")
        }
        try sharedClient.configure {
            WLClientSwift(
                configuration, transport: transport, registrations: registrations,
                makePinnedTransport: makePinnedTransport)
        }
    }
}

/// The error of ``WLClient/configureShared(_:transport:registrations:makePinnedTransport:)``.
public typealias WLConfigurationError = FacadeConfigurationError

private let sharedClient = SharedInstance(
    "The shared client", configuredBy: "WLClient.configureShared", before: "the first use of WLClient.sharedInstance()"
) {
    do throws(WLError) {
        return WLClientSwift(try .mainBundle())
    } catch {
        return WLClientSwift(
            WLConfiguration(serverURL: ""), failure: error, transport: .network,
            registrations: WLMemoryRegistrationStore(), cookieJar: CookieJar(),
            makePinnedTransport: nil, clock: ContinuousClock(), date: { Date() })
    }
}
