import Delegation
import Foundation
import SDMConnectivityNames

// Code of an old app: the calls of the vendor's page, as Swift imports them. Only the vendor's names, and no imports
// but SDMConnectivityNames, Foundation, and Delegation for the table of selectors. The test is that this file compiles;
// LegacyCallSiteTests runs it. Above each call is the page's Objective-C, which .ci/check-sdm-seed finds here.

/// A screen that loads the service document.
final class ServiceDocumentScreen: SelectorTarget {
    static var selectors: SelectorTable {
        [
            .method("serviceDocFetchComplete:", ServiceDocumentScreen.serviceDocFetchComplete),
            .method("serviceDocFetchFailed:", ServiceDocumentScreen.serviceDocFetchFailed),
        ]
    }

    private(set) var request: SDMHTTPRequest?
    private(set) var m_AsynchRequest: HTTPRequest!
    private(set) var text: String?
    private(set) var data: Data?
    var done: () -> Void = {}

    func setRequest(_ request: SDMHTTPRequest) { self.request = request }

    func makeRequest() {
        // The page adds the language with a question mark.
        let serverUrlWithLanguage =
            "\(ConnectivitySettings.url()!)?sap-language=\(ConnectivitySettings.instance().currentLanguage())"
        // [self setRequest:[SDMHTTPRequest requestWithURL:[NSURL URLWithString: serverUrlWithLanguage]]];
        setRequest(SDMHTTPRequest.requestWithURL(URL(string: serverUrlWithLanguage)))
        // m_AsynchRequest = [HTTPRequest requestWithURL:[NSURL URLWithString: serverUrlWithLanguage]];
        m_AsynchRequest = HTTPRequest.requestWithURL(URL(string: serverUrlWithLanguage))
        // -(id)initWithURL:(NSURL *)newURL
        request = SDMHttpRequest(url: URL(string: serverUrlWithLanguage))
        // +(id)requestWithURL:(NSURL *)newURL
        request = SDMHttpRequest.request(with: URL(string: serverUrlWithLanguage))
    }

    func setUp(progress m_ProgressIndicator: AnyObject) throws {
        // -(void) setUserName:(NSString*)username
        m_AsynchRequest.setUserName("ann")
        // -(void) setPassword:(NSString*)username
        m_AsynchRequest.setPassword("open sesame")
        // -(void) setClientDelegate:(id)clientDelegate
        m_AsynchRequest.setClientDelegate(self)
        // -(void) setDidFinishSelector:(SEL)didFinishSelector
        // [m_AsynchRequest setDidFinishSelector:@selector(serviceDocFetchComplete:)];
        m_AsynchRequest.setDidFinishSelector("serviceDocFetchComplete:")
        // -(void) setDidFailSelector:(SEL)didFinishSelector
        // [m_AsynchRequest setDidFailSelector:@selector(serviceDocFetchFailed:)];
        m_AsynchRequest.setDidFailSelector("serviceDocFetchFailed:")
        // -(void) setRequestMethod:(NSString*)httpMethod
        // [m_AsynchRequest setRequestMethod:@”POST”];
        m_AsynchRequest.setRequestMethod("POST")
        // -(void) setUploadProgressDelegate
        // [m_AsynchRequest setUploadProgressDelegate:m_ProgressIndicator];
        m_AsynchRequest.setUploadProgressDelegate(m_ProgressIndicator)
        // -(void) setDownloadProgressDelegate
        m_AsynchRequest.setDownloadProgressDelegate(m_ProgressIndicator)
        // -(void) setShowAccurateProgress
        m_AsynchRequest.setShowAccurateProgress()
        m_AsynchRequest.setShowAccurateProgress(true)
        // -(void)setMaxConcurrentHTTPRequestCount:(const unsigned char)cnt
        try m_AsynchRequest.setMaxConcurrentHTTPRequestCount(5)
        try SDMHttpRequest.setMaxConcurrentHTTPRequestCount(5)
        // -(NSInteger) getMaxConcurrentHTTPRequestCount
        _ = m_AsynchRequest.getMaxConcurrentHTTPRequestCount() + SDMHttpRequest.getMaxConcurrentHTTPRequestCount()
        // -(void) setClientCertificateIdentity:(SecIdentityRef)anIdentity
        m_AsynchRequest.setClientCertificateIdentity(nil)
    }

    func fill(_ encodedPostStr: String, urlEncData: Data, kAppId: String) {
        // -addRequestHeader:(NSString*)header value:(NSString*)value
        // [m_AsynchRequest addRequestHeader:@"myApplicationId" value:kAppId];
        m_AsynchRequest.addRequestHeader("myApplicationId", value: kAppId)
        // [m_AsynchRequest addRequestHeader:@"deviceType" value:@"iphone"];
        m_AsynchRequest.addRequestHeader("deviceType", value: "iphone")
        // -appendPostData:(NSData*)postData
        // [m_AsynchRequest appendPostData:urlEncData];
        m_AsynchRequest.appendPostData(urlEncData)
        // NSData* encodedPostData = [encodedPostStr dataUsingEncoding:NSUTF8StringEncoding];
        let encodedPostData = encodedPostStr.data(using: .utf8)!
        // [m_AsynchRequest appendPostData:encodedPostData];
        m_AsynchRequest.appendPost(encodedPostData)
        // -(void) buildPostBody
        // [m_AsynchRequest buildPostBody];
        m_AsynchRequest.buildPostBody()
    }

    func load() {
        // -(void) startAsynchronous
        m_AsynchRequest.startAsynchronous()
    }

    func loadSynchronously() {
        // -(void) startSynchronous
        // [m_AsynchRequest startSynchronous];
        m_AsynchRequest.startSynchronous()
        // -(void) cancel
        // [m_AsynchRequest cancel];
        m_AsynchRequest.cancel()
    }

    func serviceDocFetchComplete(_ request: SDMHttpRequest) {
        // -(NSString*) responseString
        // NSString* stringPayload = [m_AsynchRequest responseString];
        let stringPayload = m_AsynchRequest.responseString
        // -(NSData*) responseData
        // NSData* binaryPayload = [m_AsynchRequest responseData];
        let binaryPayload = m_AsynchRequest.responseData
        text = stringPayload
        data = binaryPayload
        done()
    }

    func serviceDocFetchFailed(_ request: SDMHttpRequest) {
        text = request.error?.localizedDescription
        done()
    }
}

/// A delegate with the page's methods.
final class PageDelegate: SDMHttpRequestDelegate, SDMProgressDelegate {
    var called: (_ selector: String) -> Void = { _ in }

    // + requestStarted:
    func requestStarted(_ request: SDMHttpRequest) { called("requestStarted:") }
    // + requestFinished:
    func requestFinished(_ request: SDMHttpRequest) { called("requestFinished:") }
    // + requestFailed:
    func requestFailed(_ request: SDMHttpRequest) { called("requestFailed:") }
    // + requestRedirected:
    func requestRedirected(_ request: SDMHttpRequest) { called("requestRedirected:") }
    // + request:didRecieveData:
    func request(_ request: SDMHttpRequest, didRecieveData data: Data) { called("request:didRecieveData:") }
    // + authenticationNeededForRequest:
    func authenticationNeeded(for request: SDMHttpRequest) {
        called("authenticationNeededForRequest:")
        request.cancelAuthentication()
    }
    // + proxyAuthenticationNeededForRequest:
    func proxyAuthenticationNeeded(for request: SDMHttpRequest) {
        called("proxyAuthenticationNeededForRequest:")
        request.cancelAuthentication()
    }
    // + setProgress:
    func setProgress(_ progress: Float) { called("setProgress:") }
    // + request:didReceiveBytes:
    func request(_ request: SDMHttpRequest, didReceiveBytes count: Int64) { called("request:didReceiveBytes:") }
    // + request:didSendBytes:
    func request(_ request: SDMHttpRequest, didSendBytes count: Int64) { called("request:didSendBytes:") }
    // + request:incrementDownloadSizeBy:
    func request(_ request: SDMHttpRequest, incrementDownloadSizeBy count: Int64) {
        called("request:incrementDownloadSizeBy:")
    }
    // + request:incrementUploadSizeBy:
    func request(_ request: SDMHttpRequest, incrementUploadSizeBy count: Int64) {
        called("request:incrementUploadSizeBy:")
    }
}
