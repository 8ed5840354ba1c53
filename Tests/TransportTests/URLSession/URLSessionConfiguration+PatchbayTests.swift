import Foundation
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("URLSessionConfiguration") struct URLSessionConfigurationPatchbayTests {
    @Test("has no cache, cookies and credentials") func configuration() {
        let configuration = URLSessionConfiguration.patchbay(maximumConnectionsPerHost: 7)
        #expect(configuration.urlCache == nil && configuration.httpCookieStorage == nil)
        #expect(configuration.urlCredentialStorage == nil && !configuration.httpShouldSetCookies)
        #expect(configuration.httpCookieAcceptPolicy == .never)
        #expect(configuration.httpMaximumConnectionsPerHost == 7)
    }

    @Test("its timeouts are longer than those of requests") func timeouts() {
        let configuration = URLSessionConfiguration.patchbay(maximumConnectionsPerHost: 7)
        #expect(configuration.timeoutIntervalForRequest == .longerThanAnyRequest)
        #expect(configuration.timeoutIntervalForResource > 365 * 86_400)
    }
}
