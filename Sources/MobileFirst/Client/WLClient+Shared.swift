public import Delegation
import Foundation
public import Transport

extension WLClient {
    /// The shared client: made by ``configureShared(_:transport:registrations:)``, or else from `mfpclient.plist`.
    ///
    /// Without either, every call fails with `configuration`.
    public static func sharedInstance() -> WLClient { sharedClient.value }

    /// Configures the shared client. Call it once, before the first call of ``sharedInstance()`` and the first request.
    /// - Parameters:
    ///   - transport: sends all requests; default the network.
    ///   - registrations: keeps the client ID and the private key; default in memory.
    /// - Throws: ``WLConfigurationError`` (`alreadyConfigured`, `alreadyInUse`); nothing changes then.
    public static func configureShared(
        _ configuration: WLConfiguration, transport: some Transport = URLSessionTransport.shared,
        registrations: some WLRegistrationStore = WLMemoryRegistrationStore()
    ) throws(WLConfigurationError) {
        try sharedClient.configure {
            WLClient(configuration, transport: transport, registrations: registrations)
        }
    }
}

/// The error of ``WLClient/configureShared(_:transport:registrations:)``.
public typealias WLConfigurationError = FacadeConfigurationError

private let sharedClient = SharedInstance(
    "The shared client", configuredBy: "WLClient.configureShared", before: "the first use of WLClient.sharedInstance()"
) {
    do throws(WLError) {
        return WLClient(try .mainBundle())
    } catch {
        return WLClient(
            WLConfiguration(serverURL: ""), failure: error, transport: .network,
            registrations: WLMemoryRegistrationStore(), cookieJar: CookieJar(),
            makePinnedTransport: WLClient.networkPinning, clock: ContinuousClock(), date: { Date() })
    }
}
