// Written by .ci/check-migrate --update; do not edit.
// swift-format-ignore-file

extension CatalogueText {
    /// Names of HyperHive.
    static let hyperHive = #"""
        vendor HyperHive
        guide HyperHive.md
        prefixes HHFW
        imports HyperHive HHFW HHFWFramework HyperHiveFramework
        objc Tour.md#objective-c
        types HyperHive.md#names
        protocols HyperHiveWire
        .Column | init(_:_:) name type>ColumnType
        .ColumnType | bigint double init(rawValue:)>? text
        .Database | name records>? updated>?
        DatabasePath | description init(_:documents:) location>Location name
        DeltaStreamCallParams : HHFWCallParams
        .ErrorCode | +busy +cancelled +configuration +database +invalidArgument +malformedResponse +status +transport +unauthorized +unknownResource
        FMPWire : HyperHiveWire | decodesCredentials init(=decodesCredentials:) resourceRequest(_:token:_:) schemaRequest(token:_:) signInRequest(login:password:_:) token(in:)>? transactionIDs(in:)>? transactionRequest(_:of:isDeletion:token:_:) transactionsRequest(of:token:_:)
        .Failure | code description init(_:_:_:) source>Source
        HHFWCall
        HHFWCallParams | args>? data>? dataBasePath>? headers>? init() init(defaultDb:)>? init(defaultProperty:)>? retryCount retryIntervalSec
        HHFWController | auth(_:password:=handler:)>HHFWCall client>HyperHive closeBase(_:) closeDefaultBase() +configureShared(client:) deleteTransaction(_:resourceName:=handler:)>HHFWCall delivery deltaStream(_:deltaStreamCallParams:=handler:) deltaStreamAsync(_:withCache:deltaStreamCallParams:=handler:)>HHFWCall description dropCache(_:resourceName:requestParams:)>? getAllTransactionResourceName(_:=handler:)>HHFWCall getTablesName(_:resourceName:requestParams:)>? getTablesName(_:resourceName:requestParams:tableName:)>? getTransaction(_:resourceName:=handler:)>HHFWCall init(client:) initWithCredentials(_:host:environment:project:application:device:) initWithCredentials(_:host:environment:project:device:) isAuthorized lastError>HyperHiveError? log>() openBase(_:key:) openDefaultBase(_:) paramForKey(_:=dataBasePath:)>? query(_:query:)>? request(_:requestCallParams:=handler:)>HHFWCall resources(_:=handler:)>HHFWCall retryTable(_:transactionID:tableCallParams:=handler:) saveParam(_:forKey:=dataBasePath:) setRetryCount(_:) setRetryIntervalSec(_:) +sharedInstance()>HHFWController table(_:transactionID:tableCallParams:=handler:) tableAsync(_:transactionID:tableCallParams:=handler:)>HHFWCall tableStream(_:transactionID:requestCallParams:=handler:) tableStreamAsync(_:transactionID:requestCallParams:=handler:)>HHFWCall unAuth(=handler:)>HHFWCall web(_:webCallParams:=handler:)>HHFWCall
        HyperHive | closeDatabase(_:) configuration>HyperHiveConfiguration? configure(_:) database(=at:) +defaultDatabase deleteTransaction(_:of:) description dropCache(of:=parameters:=in:) init(=_:=transport:=wire:=options:=clock:) isSignedIn loadResources(=into:) loadTable(_:=parameters:=into:=options:=progress:)>HyperHiveSync openDatabase(_:=key:) options>HyperHiveOptions parameter(forKey:=in:)>? request(_:body:=options:=observer:) request(_:=parameters:=options:=observer:) retryTable(_:transactionID:=parameters:=options:) saveParameter(_:forKey:=in:) signIn(_:password:)>HyperHiveResult signOut() signingTransport(for:) syncDelta(_:=parameters:=into:=usesStoredVersion:=options:=progress:)>HyperHiveSync table(_:=parameters:=options:=observer:) tableNames(of:=parameters:=table:=in:) transaction(_:of:) transactions(of:) unsignedRequest(_:body:=options:)
        HyperHiveCallOptions | description headers init(=headers:=query:=transactionID:=retryCount:=retryInterval:) query retryCount>? retryInterval>? transactionID>?
        HyperHiveConfiguration | apiVersion application description device environment host init(=apiVersion:host:environment:project:device:) project
        HyperHiveError | code failingURL>? message result>HyperHiveResult underlying>?
        HyperHiveOptions | documentsFolder>? init(=timeouts:=maximumResponseBytes:=retryCount:=retryInterval:=documentsFolder:) maximumResponseBytes maximumRowBytes openStore>StoreOpener? retryCount retryInterval sendsEntityTags timeouts
        HyperHiveProgress | bytes init(=bytes:=rows:) rows
        HyperHiveProgressFeed | init() updates
        HyperHiveResource | +identityColumn init(_:=lifetime:=scalarInputs:=tableInputs:=outputs:) isCached lifetime>? name outputs scalarInputs tableInputs
        HyperHiveResult | database>Database? description dictionary errors isNotModified json raw>? request>RequestEcho response>Response? retryCount status>Status text
        HyperHiveSync | deletes isNotModified result>HyperHiveResult upserts version
        HyperHiveTable | name rows
        HyperHiveWire | resourceRequest(_:token:_:) schemaRequest(token:_:) signInRequest(login:password:_:) token(in:)>? transactionIDs(in:)>? transactionRequest(_:of:isDeletion:token:_:) transactionsRequest(of:token:_:)
        .Location | file>() memory
        RequestCallParams : HHFWCallParams
        .RequestEcho | configuration>HyperHiveConfiguration? destination>? login resource>? retryCount retryIntervalSec source>? statements transactionID>? type url>?
        ResourceRequest | body deltaBase>? description etag>? headers init(_:=body:=deltaBase:=etag:=transactionID:=headers:=query:) query resource transactionID>?
        .Response | bytesDownloaded bytesUploaded headers status
        .Source | curl init(rawValue:)>? server sqlite
        .Status | cancel error init(rawValue:)>? ok
        .StoreOpener
        .Table | columns init(_:columns:) name
        TableCallParams : HHFWCallParams
        WebCallParams : HHFWCallParams
        ~ HHFWCallParams.databasePath | dataBasePath
        ~ HHFWCallParams.requestParams | data
        ~ HHFWController.getParamFromDB(_:) | paramForKey(_:)
        ~ HHFWController.getTablesNames(_:resourceName:requestParams:) | getTablesName(_:resourceName:requestParams:)
        ~ HHFWController.init() | sharedInstance()
        ~ HHFWController.saveParamToDB(_:_:) | saveParam(_:forKey:)
        - HHFWController.setDbPathDefault(_:) | | pass 'documentsFolder' to the options of the client: configureShared(client:)
        ~ HHFWController.setDefaultRetryCount(_:) | setRetryCount(_:)
        ~ HHFWController.setDefaultRetryIntervalSec(_:) | setRetryIntervalSec(_:)
        ~ HHFWController.shared | sharedInstance()
        ~ HHFWController.sharedController() | sharedInstance()
        ~ HHFWController.streamCallDelta(_:) | deltaStream(_:deltaStreamCallParams:handler:)
        ~ HHFWController.streamCallTable(_:) | tableStream(_:transactionID:requestCallParams:handler:)
        - fileConnectorApi | HyperHive.md#not-included | fileConnectorApi: files, whose protocol no public source describes; send the app's own requests
        """#
}
