import Foundation
import HyperHive

// Every spelling of the vendor's framework that a public page shows, and those of its Android client that the module
// offers. `.ci/check-hyperhive-seed` compiles it in Swift 5 and 6. A line that no longer compiles breaks an app.

/// Code of an app, on its main thread.
@MainActor final class Spellings {
    private let controller = HHFWController.sharedInstance()
    private var status: String?

    // MARK: Session

    func credentials(host: String, device: String) {
        HHFWController.sharedInstance().initWithCredentials(
            "v1", host: host, environment: "environment", project: "project", device: device)
        // Release 9.2u9.
        HHFWController.sharedInstance().initWithCredentials(
            "v1", host: host, environment: "environment", project: "project", application: "application",
            device: device)
        let optional: String? = nil
        controller.initWithCredentials(
            optional, host: optional, environment: optional, project: optional, device: optional)
    }

    func session(completion: @escaping () -> ()) {
        HHFWController.sharedInstance().auth("login", password: "password") { (jsonResult) in
            if let jsonDict = jsonResult as? NSDictionary, let status = jsonDict["status"] as? String, status == "ok" {
                completion()
            }
        }
        controller.auth("login", password: "password", handler: { self.status = self.status(of: $0) })
        controller.auth(nil, password: nil, handler: nil)
        controller.unAuth { (jsonResult) in self.status = self.status(of: jsonResult) }
        controller.unAuth()
        let isAuthorized: Bool = controller.isAuthorized
        controller.setRetryCount(isAuthorized ? 5 : 6)
        controller.setRetryIntervalSec(10)
    }

    private func status(of jsonResult: Any?) -> String? { (jsonResult as? NSDictionary)?["status"] as? String }

    // MARK: Parameters

    func parameters() -> [Any?] {
        let property = DeltaStreamCallParams(defaultProperty: ())
        property?.dataBasePath = "/Documents/database.sqlite"
        let database = DeltaStreamCallParams(defaultDb: ())
        database?.dataBasePath = nil
        let request = RequestCallParams(defaultProperty: ())
        request?.data = "{\"IV_REGION\":\"east\"}"
        request?.headers = ["X-Own": "1"]
        request?.args = ["page": "1"]
        request?.retryCount = 5
        request?.retryIntervalSec = 10
        let table = TableCallParams(defaultProperty: ()), web = WebCallParams(defaultDb: ())
        let made: [HHFWCallParams] = [
            DeltaStreamCallParams(), RequestCallParams(), TableCallParams(), WebCallParams(),
        ]
        return [property, database, request, table, web] + made
    }

    // MARK: Databases

    func databases() {
        let isOpen: Bool = HHFWController.sharedInstance().openBase("/Documents/database.sqlite", key: "")
        if controller.openBase("database.sqlite", key: nil), isOpen { controller.closeBase("database.sqlite") }
        controller.openDefaultBase("key")
        if controller.closeDefaultBase() == false { print(controller.lastError?.message ?? "") }
        let records: String? = controller.query("/Documents/database.sqlite", query: "SELECT * FROM `table`")
        let tables: String? = controller.getTablesName(
            "/Documents/database.sqlite", resourceName: "FRUITS", requestParams: "", tableName: "output_table")
        let all: String? = controller.getTablesName(
            "/Documents/database.sqlite", resourceName: "FRUITS", requestParams: "")
        let dropped: String? = controller.dropCache(
            "/Documents/database.sqlite", resourceName: "FRUITS", requestParams: "")
        controller.dropCache("database.sqlite", resourceName: "FRUITS", requestParams: nil)
        controller.saveParam("value", forKey: "key")
        let value: String? = controller.paramForKey("key")
        print(records ?? "", tables ?? "", all ?? "", dropped ?? "", value ?? "")
    }

    // MARK: Resources

    func resources(_ deltaParams: DeltaStreamCallParams?, _ requestParams: RequestCallParams?) {
        HHFWController.sharedInstance().resources("database.sqlite") { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        HHFWController.sharedInstance().deltaStream("FRUITS", deltaStreamCallParams: deltaParams) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        HHFWController.sharedInstance().deltaStreamAsync(
            "FRUITS", withCache: true, deltaStreamCallParams: deltaParams
        ) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.tableStream("FRUITS", transactionID: nil, requestCallParams: requestParams) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.tableStreamAsync("FRUITS", transactionID: "", requestCallParams: requestParams) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.deltaStream("FRUITS", deltaStreamCallParams: nil, handler: nil)
        let call: HHFWCall = controller.request("FRUITS", requestCallParams: requestParams) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        call.cancel()
    }

    // MARK: Transactions

    func transactions(_ params: TableCallParams?, _ webParams: WebCallParams?) {
        let uuid: String = UUID().uuidString
        controller.table("FRUITS", transactionID: uuid, tableCallParams: params) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.tableAsync("FRUITS", transactionID: nil, tableCallParams: nil) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.retryTable("FRUITS", transactionID: uuid, tableCallParams: params) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.getAllTransactionResourceName("FRUITS") { (jsonResult) in
            let result = (jsonResult as? NSDictionary)?["result"] as? [String: Any]
            print((result?["raw"] as? [[String: Any]])?.compactMap { $0["uuid"] as? String } ?? [])
        }
        controller.getTransaction(uuid, resourceName: "FRUITS") { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.deleteTransaction(uuid, resourceName: "FRUITS") { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
        controller.web("FRUITS", webCallParams: webParams) { (jsonResult) in
            self.status = self.status(of: jsonResult)
        }
    }
}
