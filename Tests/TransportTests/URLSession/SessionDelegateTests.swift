import Dispatch
import Foundation
import Testing

@testable import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct SessionDelegateTests {
    #if canImport(ObjectiveC)
        /// The session calls a method only if it has exactly this name; a wrong one is no error of the compiler.
        @Test(arguments: [
            "URLSession:dataTask:didReceiveResponse:completionHandler:", "URLSession:dataTask:didReceiveData:",
            "URLSession:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:",
            "URLSession:task:needNewBodyStream:",
            "URLSession:task:willPerformHTTPRedirection:newRequest:completionHandler:",
            "URLSession:task:didReceiveChallenge:completionHandler:", "URLSession:task:didCompleteWithError:",
        ])
        func `the session finds the delegate's methods`(name: String) {
            let delegate = SessionDelegate(queue: DispatchQueue(label: "test"))
            #expect(delegate.responds(to: Selector(name)))
        }
    #endif
}
