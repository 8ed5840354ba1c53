import Testing

@testable import PatchbayMigration

@Suite struct FileScannerTests {
    @Test func `Swift of Akula`() {
        #expect(
            Samples.places(Samples.akulaSwift)
                == [
                    "1 works import Akula", "2 works AKServerAgent", "2 works AKServerAgent.initialize(_:)",
                    "3 works AKServerAgent", "3 works AKServerAgent.init()",
                    "4 works AKHTTPRequestData.addHeader(_:value:)",
                    "4 works AKServerAgent.requestData", "5 works AKServerAgent.get(_:delegate:)",
                    "6 works otherwise AKHttpBody", "7 missing AKTransactionServerAgent",
                ].sorted())
    }

    @Test func `Objective-C of Akula`() {
        #expect(
            Samples.places(Samples.akulaObjectiveC, file: "App.m")
                == [
                    "1 works otherwise import Akula", "2 works otherwise AKServerAgent",
                    "2 works otherwise AKServerAgent",
                    "3 works otherwise AKServerAgent.get:delegate:", "4 works otherwise AKHTTPRequestData.bodyData",
                    "4 works otherwise AKServerAgent.requestData",
                ].sorted())
    }

    @Test func `Swift of HyperHive`() {
        #expect(
            Samples.places(Samples.hyperHiveSwift)
                == [
                    "1 works import HyperHive", "2 works DeltaStreamCallParams",
                    "2 works DeltaStreamCallParams.init(defaultProperty:)",
                    "3 works DeltaStreamCallParams.dataBasePath",
                    "4 works HHFWController", "4 works HHFWController.deltaStream(_:deltaStreamCallParams:)",
                    "4 works HHFWController.sharedInstance()", "5 missing HHFWController.setDbPathDefault(_:)",
                    "5 works HHFWController", "5 works HHFWController.sharedInstance()",
                    "6 missing HHFWController.fileGet(_:)", "6 works HHFWController",
                    "6 works HHFWController.sharedInstance()",
                ].sorted())
    }

    @Test func `Objective-C of HyperHive`() {
        #expect(
            Samples.places(Samples.hyperHiveObjectiveC, file: "App.mm")
                == [
                    "1 works otherwise HHFWController", "1 works otherwise HHFWController",
                    "1 works otherwise HHFWController.sharedInstance", "2 works otherwise HHFWController.openBase:key:",
                ].sorted())
    }

    @Test func `Swift of Oracle CX`() {
        #expect(
            Samples.places(Samples.oracleSwift)
                == [
                    "1 works ORARequest", "1 works ORARequest.init(url:)", "2 ambiguous POST",
                    "2 works ORARequest.requestType",
                    "3 ambiguous Immediate", "3 works ORARequest.priotity", "4 missing ORARequest.timeoutInterval",
                    "5 works ORAHTTPManager", "5 works otherwise ORAHTTPManager.sharedManager()",
                    "5 works ORAHTTPManager.addRequest(_:)", "6 missing ORACoreDataCollector",
                ].sorted())
    }

    @Test func `Objective-C of Oracle CX`() {
        #expect(
            Samples.places(Samples.oracleObjectiveC, file: "App.m")
                == [
                    "1 works otherwise ORARequest", "1 works otherwise ORARequest",
                    "1 works otherwise ORARequest.initWithURL:",
                    "2 works otherwise ORAHTTPManager", "2 works otherwise ORAHTTPManager.sharedManager",
                    "2 works otherwise ORAResponse", "2 works otherwise ORAHTTPManager.addRequest:completionHandler:",
                ].sorted())
    }

    @Test func `Swift of MobileFirst`() {
        #expect(
            Samples.places(Samples.mobileFirstSwift)
                == [
                    "1 works otherwise import IBMMobileFirstPlatformFoundation",
                    "2 works SecurityCheckChallengeHandler",
                    "3 works SecurityCheckChallengeHandler.handleChallenge(_:)",
                    "3 works SecurityCheckChallengeHandler.submitChallengeAnswer(_:)", "5 works WLHttpMethodGet",
                    "5 works WLResourceRequest", "5 works WLResourceRequest.init(url:method:)", "6 works WLClient",
                    "6 works WLClient.serverUrl()", "6 works WLClient.sharedInstance()",
                    "6 works WLResourceRequest.send()",
                    "7 missing WLResourceRequest.abort()", "8 works WLClient", "8 works WLClient.sharedInstance()",
                    "8 works otherwise WLClient.HTTPCookieStorage()", "9 missing WLAnalytics",
                    "10 works obtainAccessToken(forScope:withCompletionHandler:)",
                    "11 ambiguous login(_:withCredentials:)",
                ].sorted())
    }

    @Test func `Objective-C of MobileFirst`() {
        #expect(
            Samples.places(Samples.mobileFirstObjectiveC, file: "App.m")
                == [
                    "1 works otherwise import IBMMobileFirstPlatformFoundation", "2 works otherwise WLHttpMethodGet",
                    "2 works otherwise WLResourceRequest", "2 works otherwise WLResourceRequest",
                    "2 works otherwise WLResourceRequest.requestWithURL:method:",
                    "3 works otherwise WLResourceRequest.setQueryParameterValue:forName:",
                    "4 works otherwise WLResourceRequest.sendWithCompletionHandler:", "4 works otherwise WLResponse",
                    "4 works otherwise WLResponse.responseText", "5 works otherwise WLClient",
                    "5 works otherwise WLClient.registerChallengeHandler:", "5 works otherwise WLClient.sharedInstance",
                ].sorted())
    }

    @Test func `Swift of SAP`() {
        #expect(
            Samples.places(Samples.sapSwift)
                == [
                    "1 works import SDMConnectivity", "2 works SDMHttpRequest",
                    "2 works SDMHttpRequest.requestWithURL(_:)",
                    "3 works SDMHttpRequest.setClientDelegate(_:)", "4 works SDMHttpRequest.username",
                    "5 works SDMHttpRequest.startAsynchronous()", "6 missing SDMHttpRequest.setProtectionEnabled(_:)",
                    "6 works SDMHttpRequest", "7 works Request", "7 works Request", "7 works Request.init(url:)",
                ].sorted())
    }

    @Test func `Objective-C of SAP`() {
        #expect(
            Samples.places(Samples.sapObjectiveC, file: "App.m")
                == [
                    "1 works otherwise import SDMRequestBuilder", "2 works otherwise SDMRequestBuilder",
                    "2 works otherwise SDMRequestBuilder.requestWithURL:", "2 works otherwise SDMRequesting",
                    "3 works otherwise SDMRequesting.setTimeOutSeconds:",
                    "4 works otherwise SDMRequesting.setDidFinishSelector:", "5 ambiguous setUploadProgressDelegate:",
                    "6 works otherwise ASIHTTPRequest", "6 works otherwise ASIHTTPRequest",
                    "6 works otherwise ASIHTTPRequest.requestWithURL:",
                ].sorted())
    }

    @Test func `names of ASIHTTPRequest say what replaces them`() {
        let text = """
            @interface A : NSObject <ASIHTTPRequestDelegate>
            @property ASIHTTPRequest *request;
            @end
            [_request setCompletionBlock:block];
            if (code == ASIRequestTimedOutErrorType) {}
            """
        #expect(
            Samples.places(text, file: "App.m") == [
                "1 works otherwise ASIHTTPRequestDelegate", "2 works otherwise ASIHTTPRequest",
                "4 missing ASIHTTPRequest.setCompletionBlock:", "5 works otherwise ASIRequestTimedOutErrorType",
            ])
        let advice = Report(texts: [("App.m", text)]).findings.compactMap(\.verdict.advice)
        #expect(advice.contains { $0.contains("no blocks") } && advice.contains { $0.contains(".requestTimedOut") })
    }

    @Test(arguments: [
        "let request = URLRequest(url: url); request.send()",
        "let session = ARSession(); session.run()  // WLClient",
        "let text = \"WLClient.sharedInstance()\"",
        "class Request {}; let request = Request(url: url)",
        "view.login(\"a\", withCredentials: [:]) { _ in }",
        "let player = AKPlayer(); SDMaterial.x()",
    ])
    func `code without an SDK has no places`(text: String) {
        #expect(Samples.places(text) == [])
    }

    @Test func `types that the app declares are its own`() {
        let other = (
            file: "Other.swift", text: "struct WLHelper {}\nextension WLClient { func addTag(_ tag: String) {} }"
        )
        let text = "import MobileFirst\nWLHelper.run()\nWLUnknown.run()\nWLClient.sharedInstance().addTag(\"a\")"
        #expect(
            Samples.places(text, with: [other])
                == [
                    "1 works import MobileFirst", "3 missing WLUnknown", "4 ambiguous WLClient.addTag(_:)",
                    "4 works WLClient",
                    "4 works WLClient.sharedInstance()",
                ].sorted())
        #expect(Samples.places("let stub = WLClient()", with: [("Stub.swift", "final class WLClient {}")]) == [])
    }

    @Test func `the vendor's headers are not counted`() {
        let header = "@interface WLClient : NSObject\n+ (WLClient *)sharedInstance;\n@end"
        #expect(Samples.places(header, file: "WLClient.h") == [])
        let category = "#import \"WLClient.h\"\n@interface WLClient (Tags)\n@end"
        #expect(
            Samples.places(category, file: "WLClient+Tags.h")
                == ["1 works otherwise import WLClient", "2 works otherwise WLClient"])
    }

    @Test func `properties are declared in the header of a file`() {
        let header = (
            file: "Screen.h",
            text:
                "#import \"SDMRequestBuilder.h\"\n@interface Screen : NSObject\n@property id<SDMRequesting> request;\n@end"
        )
        let text = """
            @implementation Screen
            - (void)load {
                [self.request setUseKeychainPersistence:NO];
                [_request startAsynchronous];
            }
            @end
            """
        #expect(
            Samples.places(text, file: "Screen.m", with: [header]) == [
                "3 works otherwise SDMRequesting.setUseKeychainPersistence:",
                "4 works otherwise SDMRequesting.startAsynchronous",
            ])
    }

    @Test func `what a message returns is the type of the variable that it is assigned to`() {
        let text = """
            id request = [SDMRequestBuilder requestWithURL:url];
            [request startAsynchronous];
            """
        #expect(
            Samples.places(text, file: "App.m") == [
                "1 works otherwise SDMRequestBuilder", "1 works otherwise SDMRequestBuilder.requestWithURL:",
                "2 works otherwise SDMRequesting.startAsynchronous",
            ])
    }

    @Test(arguments: [
        "func load(_ request: WLResourceRequest) { request.send() }\nfunc other(_ request: URLRequest) { request.abort() }",
        "let request = WLResourceRequest(url: url)\nlist.map { request in request.abort() }",
        "let request = WLResourceRequest(url: url)\nif case .done(let request) = state { request.abort() }",
        "func load() {\nlet request = WLResourceRequest(url: url)\n}\nfunc other(_ request: Other) { request.abort() }",
    ])
    func `a variable of another type hides one of the vendor's in its block`(text: String) {
        #expect(!Samples.places(text).contains { $0.contains("abort") })
    }

    @Test(arguments: ["A.m", "A.mm"])
    func `a call before the name that shows the vendor is found too`(file: String) {
        let text = "[m_Request setUserName:@\"ann\"];\n[SDMHttpRequest clearSession];"
        #expect(Samples.places(text, file: file).first == "1 ambiguous setUserName:")
    }

    @Test func `constants that the app declares are its own`() {
        let text = "import MobileFirst\nlet WLCOLOR_RED = 1\nprint(WLCOLOR_RED, WLCOLOR_BLUE)"
        #expect(Samples.places(text) == ["1 works import MobileFirst", "3 missing WLCOLOR_BLUE"])
        #expect(Samples.places("#import \"WLClient.h\"\n#define WLRed 1\nint a = WLRed;", file: "A.m").count == 1)
    }

    @Test func `the last declaration of a variable counts`() {
        let text = """
            /**/ import MobileFirst
            let request: WLResourceRequest = make()
            request.abort()
            let request: URLRequest = make()
            request.abort()
            """
        #expect(
            Samples.places(text) == [
                "1 works import MobileFirst", "2 works WLResourceRequest", "3 missing WLResourceRequest.abort()",
            ])
    }

    @Test func `other labels than those of the module are a difference`() {
        let text = "import OracleCX\nORAHTTPManager.shared().addRequest(request, then: { _ in })"
        let finding = Report(texts: [("App.swift", text)]).findings.first { $0.name.contains("addRequest") }
        #expect(
            finding?.verdict
                == .otherwise(
                    link: "Documentation/OracleCX.md#names", text: "no overload of addRequest has these labels"))
    }

    @Test(arguments: [
        ("request.responseString()", "SDMHttpRequest.responseString()", "a property: write responseString, without"),
        ("request.startAsynchronous()", "SDMHttpRequest.startAsynchronous()", nil),
        ("request.isBandwidthThrottled()", "SDMHttpRequest.isBandwidthThrottled()", "a member of the type"),
        ("request.setTimeOutSeconds(30)", "SDMHttpRequest.setTimeOutSeconds(_:)", "write timeOutSeconds = ..."),
        (
            "request.setUseCookiePersistence(true)", "SDMHttpRequest.setUseCookiePersistence(_:)",
            "useCookiePersistence ="
        ),
        ("request.setRequestMethod(\"POST\")", "SDMHttpRequest.setRequestMethod(_:)", nil),
        ("request.responseString!.count", "SDMHttpRequest.responseString", nil),
        ("if request.responseStatusCode != 200 {}", "SDMHttpRequest.responseStatusCode", nil),
    ])
    func `methods that are properties in the module need a change`(call: String, name: String, advice: String?) throws {
        let text = "import SDMConnectivity\nlet request = SDMHttpRequest(url: url)\n\(call)"
        let finding = try #require(Report(texts: [("App.swift", text)]).findings.first { $0.name == name })
        #expect(finding.verdict.kind == (advice == nil ? .works : .otherwise))
        #expect(finding.verdict.advice?.contains(advice ?? "") ?? (advice == nil))
    }

    @Test(arguments: [
        ("let request = SDMRequestBuilder.requestWithURL(url)!", 1), ("let r = SDMHttpRequest(url: url)!", 1),
        ("SDMRequestBuilder.requestWithURL(url)?.startAsynchronous()", 1),
        ("let api = HHFWController.sharedInstance()\napi?.openBase(\"a\", key: nil)\napi?.closeDefaultBase()", 2),
        ("if let api = HHFWController.sharedInstance() { api.closeDefaultBase() }", 1),
        ("guard ready, let api = HHFWController.sharedInstance() else { return }", 1),
        ("let api = HHFWController.sharedInstance()\napi.closeDefaultBase()", 0),
        ("var api: HHFWController?\napi = HHFWController.sharedInstance()\napi?.closeDefaultBase()", 0),
        ("let params = DeltaStreamCallParams(defaultProperty: ())!\nparams.headers!.count", 0),
        ("if let params = DeltaStreamCallParams(defaultProperty: ()) { print(params) }", 0),
        ("let request = WLResourceRequest(url: url, method: WLHttpMethodGet)\nrequest?.send { _, _ in }", 0),
        ("let color = SDMHttpRequest(url: url).isFinished ? .red : .blue", 0),
        ("if SDMHttpRequest(url: url) != other {}", 0),
        ("if let request = SDMHttpRequest(url: url) as? SDMFormDataRequest {}", 0),
    ])
    func `unwrapping what is never nil in the module needs a change`(text: String, count: Int) {
        let findings = Report(texts: [("App.swift", text)]).findings
        #expect(findings.count { $0.verdict.advice?.contains("never nil") == true } == count)
    }

    @Test func `a class that inherits from the vendor's types is the app's own`() {
        let text = """
            final class Screen: SDMHttpRequestDelegate, SelectorTarget {
                static var selectors: SelectorTable { [.method("done:", Screen.done)] }
                func done(_ request: SDMHttpRequest) {}
            }
            """
        #expect(Samples.places(text) == ["1 works SDMHttpRequestDelegate", "3 works SDMHttpRequest"])
    }

    @Test func `a pattern of a switch declares nothing, a case of an enumeration does`() {
        let uses = "\nprint(WLErrorCodeUnexpected)"
        for pattern in [
            "switch code { case WLErrorCodeUnexpected: retry() }", "if case WLErrorCodeUnexpected = code {}",
            "switch code { case WLErrorCodeUnexpected where ready: retry() }",
            "switch code { case WLErrorCodeUnexpected, other: retry() }",
        ] {
            #expect(Samples.places("import MobileFirst\n\(pattern)\(uses)").contains("3 missing WLErrorCodeUnexpected"))
        }
        for declaration in ["case WLErrorCodeUnexpected", "case a, WLOther = 3", "case WLErrorCodeUnexpected(Int)"] {
            let places = Samples.places("import MobileFirst\nenum E { \(declaration) }\(uses)")
            #expect(places.contains("3 missing WLErrorCodeUnexpected") == declaration.contains("Other"))
        }
    }

    @Test func `commas between generic arguments separate no parameters`() {
        let text = """
            /**/ import MobileFirst
            class H: SecurityCheckChallengeHandler {
                override func handleChallenge(_ c: Dictionary<String, Any>!) {}
            }
            WLAuthorizationManager.sharedInstance().login("x", withCredentials: Dictionary<String, Any>()) { _ in }
            """
        let places = Samples.places(text)
        #expect(places.contains { $0.hasPrefix("3 ") && $0.contains("handleChallenge(_:)") }, "\(places)")
        #expect(places.contains { $0.hasPrefix("5 ") && $0.contains("login(_:withCredentials:)") }, "\(places)")
        let comparisons = Samples.places(
            "import MobileFirst\nWLAuthorizationManager.sharedInstance().login(Limit < a, withCredentials: b > c)")
        #expect(comparisons.contains { $0.contains("login(_:withCredentials:)") }, "\(comparisons)")
    }

    @Test func `a name with other labels has the advice of its note`() throws {
        let text = "HHFWController.sharedInstance().saveParamToDB(\"a\", value: \"b\")"
        let findings = Report(texts: [("App.swift", text)]).findings
        let link = "Documentation/HyperHive.md#names"
        #expect(findings.first?.verdict == .otherwise(link: link, text: "write saveParam(_:forKey:)"))
        let selector = "[[HHFWController sharedInstance] saveParamToDB:@\"a\" value:@\"b\"];"
        let finding = Report(texts: [("App.m", selector)]).findings.first { $0.name.contains("saveParamToDB") }
        #expect(finding?.verdict.advice?.contains("where it is saveParam(_:forKey:)") == true)
    }

    @Test func `damaged source is read as far as possible`() {
        let text =
            "import MobileFirst\nlet a = \"WLClient\nWLClient.sharedInstance()\n[[[ ((( WLResourceRequest /* WLClient"
        #expect(
            Samples.places(text)
                == [
                    "1 works import MobileFirst", "3 works WLClient", "3 works WLClient.sharedInstance()",
                    "4 works WLResourceRequest",
                ].sorted())
        let nested = String(repeating: "[", count: 20_000) + " WLClient sharedInstance]"
        #expect(
            Samples.places(nested, file: "App.m") == [
                "1 works otherwise WLClient", "1 works otherwise WLClient.sharedInstance",
            ])
    }

    @Test(arguments: [
        ("_ error: NSError!, response: AKHTTPResponse!", "works otherwise"),
        ("_ error: NSError, response: AKHTTPResponse?", "works otherwise"),
        ("_ error: AKError, response: AKHTTPResponse!", "works otherwise"),
        ("_ error: AKError, response: AKHTTPResponse", "works otherwise"),
        ("_ error: AKError, response: AKHTTPResponse?", "works"),
    ])
    func `a method of a delegate with other types of parameters does not work as it is`(
        parameters: String, verdict: String
    ) {
        let text = """
            /**/ import Akula
            final class Screen: AKHTTPResponseDelegate {
                func responseDidFail(\(parameters)) {}
            }
            """
        let name = "AKHTTPResponseDelegate.responseDidFail(_:response:)"
        #expect(Samples.places(text).contains("3 \(verdict) \(name)"), "\(Samples.places(text))")
    }
}
