import Foundation
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct URLSessionConfigurationPatchbayTests {
    @Test func `has no cache, cookies and credentials`() {
        let configuration = URLSessionConfiguration.patchbay(maximumConnectionsPerHost: 7)
        #expect(configuration.urlCache == nil && configuration.httpCookieStorage == nil)
        #expect(configuration.urlCredentialStorage == nil && !configuration.httpShouldSetCookies)
        #expect(configuration.httpCookieAcceptPolicy == .never)
        #expect(configuration.httpMaximumConnectionsPerHost == 7)
    }

    @Test func `its timeouts are longer than those of requests`() {
        let configuration = URLSessionConfiguration.patchbay(maximumConnectionsPerHost: 7)
        #expect(configuration.timeoutIntervalForRequest == .longerThanAnyRequest)
        #expect(configuration.timeoutIntervalForResource > 365 * 86_400)
    }
}
