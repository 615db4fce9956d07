{% load static %}// Shows a page of ours when another one cannot be loaded. It keeps that page and its files, and
// nothing else. Calls of the API, forms, and all other files do not pass through here.

const CACHE = "offline-{{ version }}-{{ LANGUAGE_CODE }}";
const PAGE = "{% url 'offline' %}";
const FILES = [
  "{% static 'css/base.css' %}",
  "{% static 'css/offline.css' %}",
  "{% static 'js/next-class.js' %}",
];

async function keepPage() {
  const cache = await caches.open(CACHE);
  const requests = [PAGE, ...FILES].map((address) => new Request(address, { cache: "reload" }));
  await cache.addAll(requests);
  await self.skipWaiting();
}

async function dropEarlierPages() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

function isPage({ method, mode, url }) {
  return mode === "navigate" && method === "GET" && !new URL(url).pathname.startsWith("/api/");
}

self.addEventListener("install", (event) => event.waitUntil(keepPage()));
self.addEventListener("activate", (event) => event.waitUntil(dropEarlierPages()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (isPage(request)) {
    event.respondWith(fetch(request).catch(() => caches.match(PAGE)));
  } else if (FILES.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match(request)));
  }
});
