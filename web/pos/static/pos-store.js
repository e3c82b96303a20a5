// What outlives the page, its crash and the browser: drafts, sales whose outcome is open, and the journal of outcomes. A write is done when its
// promise is.
const stores = ["drafts", "open", "journal", "kept"];
let database;

function opened() {
  if (!database) {
    database = new Promise((done, failed) => {
      const request = indexedDB.open("pos", 1);
      request.onupgradeneeded = () => {
        for (const name of stores) request.result.createObjectStore(name, {keyPath: "key"});
      };
      request.onsuccess = () => {
        request.result.onclose = forget;
        // another window has a later release
        request.result.onversionchange = () => {
          request.result.close();
          forget();
        };
        done(request.result);
      };
      request.onerror = () => failed(request.error);
    });
    database.catch(forget);
  }
  return database;
}

function forget() { database = null; }

// change runs steps in one transaction over all stores: all of them are written, or none.
export async function change(steps) {
  const db = await opened();
  return new Promise((done, failed) => {
    const transaction = db.transaction(stores, "readwrite", {durability: "strict"});
    transaction.oncomplete = () => done();
    transaction.onabort = transaction.onerror = () => failed(transaction.error);
    steps(name => transaction.objectStore(name));
  });
}

function read(name, request) {
  return opened().then(db => new Promise((done, failed) => {
    const answer = request(db.transaction(name).objectStore(name));
    answer.onsuccess = () => done(answer.result);
    answer.onerror = () => failed(answer.error);
  }));
}

// update writes some fields of a value that is still there, and none of one that was deleted meanwhile. Another window may have written other fields.
export const update = (name, key, fields) => change(store => {
  const found = store(name).get(key);
  found.onsuccess = () => found.result && store(name).put({...found.result, ...fields});
});

export const put = (name, value) => change(store => store(name).put(value));
export const remove = (name, key) => change(store => store(name).delete(key));
export const get = (name, key) => read(name, store => store.get(key));
export const count = name => read(name, store => store.count());
export const all = name => read(name, store => store.getAll());

// keep asks the browser not to delete what is stored when its disk is full.
export function keep() {
  navigator.storage?.persist?.().catch(() => {});
}
