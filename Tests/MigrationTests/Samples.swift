@testable import PatchbayMigration

/// Small sources of apps, one for each vendor and language.
enum Samples {
    static let akulaSwift = """
        /**/ import Akula
        AKServerAgent.initialize("https://example.com/akula/app")
        let agent = AKServerAgent()
        agent.requestData.addHeader("X-Client", value: "7")
        agent.get("/data/items", delegate: self)
        let body = AKHttpBody()
        let transaction = AKTransactionServerAgent()
        """
    static let akulaObjectiveC = """
        #import <Akula/Akula.h>
        AKServerAgent *agent = [[AKServerAgent alloc] init];
        [agent get:@"/data/items" delegate:self];
        agent.requestData.bodyData = nil;
        """
    static let hyperHiveSwift = """
        /**/ import HyperHive
        let params = DeltaStreamCallParams(defaultProperty: ())
        params?.dataBasePath = "/Documents/database.sqlite"
        HHFWController.sharedInstance().deltaStream("FRUITS", deltaStreamCallParams: params) { result in }
        HHFWController.sharedInstance().setDbPathDefault("/Documents")
        HHFWController.sharedInstance().fileGet("a.pdf")
        """
    static let hyperHiveObjectiveC = """
        HHFWController *controller = [HHFWController sharedInstance];
        [controller openBase:@"a.sqlite" key:@""];
        """
    static let oracleSwift = """
        let request = ORARequest(url: "https://example.com/xyz")
        request.requestType = POST
        request.priotity = Immediate
        request.timeoutInterval = 5
        ORAHTTPManager.sharedManager().addRequest(request) { response in }
        ORACoreDataCollector.start()
        """
    static let oracleObjectiveC = """
        ORARequest *request = [[ORARequest alloc] initWithURL:@"https://example.com/xyz"];
        [[ORAHTTPManager sharedManager] addRequest:request completionHandler:^(ORAResponse *response) {}];
        """
    static let mobileFirstSwift = """
        /**/ import IBMMobileFirstPlatformFoundation
        class PinHandler: SecurityCheckChallengeHandler {
            override func handleChallenge(_ challenge: [AnyHashable: Any]!) { submitChallengeAnswer(["pin": "1"]) }
        }
        let request = WLResourceRequest(url: URL(string: "/adapters/Bank/balance"), method: WLHttpMethodGet)
        request?.send { response, error in print("\\(WLClient.sharedInstance().serverUrl())") }
        request?.abort()
        WLClient.sharedInstance().HTTPCookieStorage()
        WLAnalytics.sharedInstance().log("a")
        other.obtainAccessToken(forScope: "a", withCompletionHandler: { token, error in })
        other.login("PinCode", withCredentials: [:]) { error in }
        """
    static let mobileFirstObjectiveC = """
        #import <IBMMobileFirstPlatformFoundation/IBMMobileFirstPlatformFoundation.h>
        WLResourceRequest *request = [WLResourceRequest requestWithURL:url method:WLHttpMethodGet];
        [request setQueryParameterValue:@"['a']" forName:@"params"];
        [request sendWithCompletionHandler:^(WLResponse *response, NSError *error) { NSLog(@"%@", response.responseText); }];
        [[WLClient sharedInstance] registerChallengeHandler:[[PinHandler alloc] initWithSecurityCheck:@"PinCode"]];
        """
    static let sapSwift = """
        /**/ import SDMConnectivity
        let request = SDMHttpRequest.requestWithURL(url)
        request.setClientDelegate(self)
        request.username = "ann"
        request.startAsynchronous()
        SDMHttpRequest.setProtectionEnabled(true)
        let other: Request = Request(url: url)
        """
    static let sapObjectiveC = """
        #import "SDMRequestBuilder.h"
        id<SDMRequesting> request = [SDMRequestBuilder requestWithURL:url];
        [request setTimeOutSeconds:60];
        [request setDidFinishSelector:@selector(done:)];
        [self.other setUploadProgressDelegate:self];
        ASIHTTPRequest *old = [ASIHTTPRequest requestWithURL:url];
        """

    /// The report's places as `line kind name`, sorted.
    static func places(_ text: String, file: String = "App.swift", with others: [(file: String, text: String)] = [])
        -> [String]
    {
        Report(texts: [(file, text)] + others).findings.filter { $0.file == file }
            .map { "\($0.line) \($0.verdict.kind.rawValue) \($0.name)" }
            .sorted()
    }
}
