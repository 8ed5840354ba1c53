import Foundation
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("URLSessionConfiguration") struct URLSessionConfigurationPatchbayTests {
    @Test("keeps nothing and decides nothing") func configuration() {
        let configuration = URLSessionConfiguration.patchbay(maximumConnectionsPerHost: 7)
        #expect(configuration.urlCache == nil && configuration.httpCookieStorage == nil)
        #expect(configuration.urlCredentialStorage == nil && !configuration.httpShouldSetCookies)
        #expect(configuration.httpCookieAcceptPolicy == .never)
        #expect(configuration.httpMaximumConnectionsPerHost == 7)
    }

    @Test("ends no request before our own deadlines do") func timeouts() {
        let configuration = URLSessionConfiguration.patchbay(maximumConnectionsPerHost: 7)
        #expect(configuration.timeoutIntervalForRequest == .longerThanAnyRequest)
        #expect(configuration.timeoutIntervalForResource > 365 * 86_400)
    }
}
