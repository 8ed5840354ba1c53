import Delegation
import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import TestSupport
import Testing
import Transport
import VendorServices

/// The only tests of the shared client, so that nothing else uses it at the same time.
@Suite(.needsSlot, .serialized) struct LegacyCallSiteTests {
    private static let service = MobileFirstService()
    /// The shared client is configured once per process.
    private static let configurations = (0..<2).map { _ in
        Result { () throws(WLConfigurationError) in
            try WLClient.configureShared(Fixture.configuration, transport: TestTransport.service(service))
        }
    }

    init() { _ = Self.configurations }

    @Test func `the shared client is configured once, before its first use`() {
        #expect(throws: Never.self) { try Self.configurations[0].get() }
        let twice = #expect(throws: WLConfigurationError.self) { try Self.configurations[1].get() }
        #expect(twice?.code == .alreadyConfigured)
        #expect(WLClient.sharedInstance().serverUrl()?.absoluteString == Fixture.server)
        let late = #expect(throws: WLConfigurationError.self) {
            try WLClient.configureShared(Fixture.configuration)
        }
        #expect(late?.code == .alreadyInUse)
    }

    @Test func `limits of the shared client's configuration are checked first`() {
        let changes: [(inout WLConfiguration) -> Void] = [
            { $0.requestTimeout = 0 }, { $0.requestTimeout = .nan }, { $0.loginTimeout = -1 },
            { $0.loginTimeout = .infinity }, { $0.maximumResponseBytes = -1 },
        ]
        for change in changes {
            let error = #expect(throws: WLConfigurationError.self) {
                var configuration = Fixture.configuration
                change(&configuration)
                try WLClient.configureShared(configuration)
            }
            #expect(error?.code == .invalidLimit && error?.message.contains("`WLConfiguration.") == true)
        }
    }

    @Test func `M31: legacy code works unchanged, with the imported names and with the pure-Swift ones`() async throws {
        let handler = PinCodeChallengeHandler()
        WLClient.sharedInstance().registerChallengeHandler(handler)
        let screen = BalanceScreen()
        await withCheckedContinuation { done in screen.load { done.resume() } }
        #expect(screen.text == "account=42" && handler.remainingAttempts == 3)
        let session = Session()
        let error = await withCheckedContinuation { done in session.logIn { done.resume(returning: $0 as? WLError) } }
        #expect(error == nil)
        let text = await withCheckedContinuation { done in session.load { done.resume(returning: $0) } }
        #expect(text.contains("['value1']"))
    }
}
