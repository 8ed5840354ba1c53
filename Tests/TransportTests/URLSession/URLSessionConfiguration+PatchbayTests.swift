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
}
